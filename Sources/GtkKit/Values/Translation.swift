import CGtk

/// The name of the catalogue that the translations are in.
let translationDomain = "copypasta"

/// A text in the user's language.
public func tr(_ text: String) -> String {
  // Without a translation the answer is the argument itself, and is copied while the argument is there.
  text.withCString { String(cString: g_dgettext(translationDomain, $0)) }
}

/// A text in the user's language, in the form that goes with a number.
public func trn(_ one: String, _ many: String, _ count: Int) -> String {
  one.withCString { one in
    many.withCString { String(cString: g_dngettext(translationDomain, one, $0, gulong(clamping: count))) }
  }
}

extension String {
  /// The text of a label without the `_` before a letter; two of them stand for one that is read.
  public var withoutMnemonic: String {
    var plain = ""
    var followsMark = false
    for character in self {
      let isMark = character == "_" && !followsMark
      if !isMark { plain.append(character) }
      followsMark = isMark
    }
    return plain
  }

  /// The text with each `%s` replaced by the next of some values.
  ///
  /// `%2$s` is the second value: another language may need another order. The values themselves are left as they are.
  public func filled(with values: String...) -> String {
    // By hand: `String.replacing` would bring the regular expression library along.
    var filled = ""
    var rest = self[...]
    var next = 0
    while let percent = rest.firstIndex(of: "%") {
      filled += rest[..<percent]
      rest = rest[index(after: percent)...]
      let digits = rest.prefix(while: \.isWholeNumber)
      if let number = Int(digits), values.indices ~= number - 1,
        rest.dropFirst(digits.count).starts(with: "$s")
      {
        filled += values[number - 1]
        rest = rest.dropFirst(digits.count + 2)
      } else if rest.first == "s", next < values.count {
        filled += values[next]
        next += 1
        rest = rest.dropFirst()
      } else {
        filled += "%"
      }
    }
    return filled + rest
  }
}
