/// How a clip's preview is written in its row: at most three lines, whatever the text holds.
enum PreviewText {
  static let lineLimit = 3

  /// The first lines of a preview, as one paragraph for the label to wrap and cut.
  ///
  /// A label limits the lines of each paragraph, not of the whole: so lines are parted by LINE SEPARATOR, which
  /// breaks a line and no paragraph. Blank lines at the beginning are left out. Control characters are shown by their
  /// pictures; white space that is all there is, by signs.
  static func shown(_ preview: String) -> String {
    guard let first = firstLineWithText(of: preview) else {
      return String(preview.unicodeScalars.prefix(60).map(sign))
    }
    var result = String.UnicodeScalarView()
    var lines = 1
    var isAfterReturn = false
    for scalar in preview.unicodeScalars[first...] {
      defer { isAfterReturn = scalar == "\r" }
      if isLineBreak(scalar) {
        if scalar == "\n" && isAfterReturn { continue }
        lines += 1
        guard lines <= lineLimit else { break }
        result.append("\u{2028}")
      } else {
        result.append(picture(scalar))
      }
    }
    if lines > lineLimit { result.append("…") }
    return String(result)
  }

  /// The same on one line, for a screen reader.
  static func spoken(_ preview: String) -> String {
    String(
      shown(preview).map { $0 == "\u{2028}" ? " " : $0 })
  }

  /// Where the first line begins that is not all white space; nil where there is none.
  private static func firstLineWithText(of text: String) -> String.Index? {
    let scalars = text.unicodeScalars
    guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }) else { return nil }
    let lead = scalars[..<first]
    return lead.lastIndex(where: isLineBreak).map(lead.index(after:)) ?? lead.startIndex
  }

  private static func isLineBreak(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "\n", "\r", "\u{0B}", "\u{0C}", "\u{85}", "\u{2028}", "\u{2029}": true
    default: false
    }
  }

  /// Control characters as the pictures that Unicode has for them (U+2400 to U+241F, U+2421).
  private static func picture(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar.value {
    case 0x09: scalar
    case 0..<0x20: Unicode.Scalar(0x2400 + scalar.value) ?? scalar
    case 0x7F: "\u{2421}"
    default: scalar
    }
  }

  private static func sign(_ scalar: Unicode.Scalar) -> Character {
    switch scalar {
    case " ": "␣"
    case "\t": "⇥"
    case _ where isLineBreak(scalar): "⏎"
    default: "·"
    }
  }
}
