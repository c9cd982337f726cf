extension String {
  /// Repeats a text; takes a fraction of the time of `init(repeating:count:)`, which appends one text after another.
  public static func repetition(of text: String, count: Int) -> String {
    var (result, block, rest) = ("", text, count)
    while rest > 0 {
      if rest % 2 == 1 { result += block }
      rest /= 2
      if rest > 0 { block += block }
    }
    return result
  }
}
