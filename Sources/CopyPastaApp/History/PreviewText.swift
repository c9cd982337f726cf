/// How a clip's preview is written in its row: at most three lines, whatever the text holds.
///
/// White space that the eye would miss gets signs: at the beginning and at the end of a line, and where there is
/// nothing else. Control characters are shown by their pictures.
package struct PreviewText: Equatable {
  package static let lineLimit = 3

  /// What the label shows.
  package private(set) var text = ""
  /// Where in it, in bytes, signs stand for white space.
  package private(set) var signs: [Range<Int>] = []

  /// Writes the first lines of a preview, as one paragraph for the label to wrap and cut.
  ///
  /// Blank lines at the beginning are left out, unless there is nothing else.
  package init(_ preview: String, lineLimit: Int = Self.lineLimit) {
    guard let first = Self.firstLineWithText(of: preview) else {
      appendSigns(preview.unicodeScalars.prefix(60))
      return
    }
    let lines = Self.lines(of: preview.unicodeScalars[first...], atMost: lineLimit + 1)
    for (number, line) in lines.prefix(lineLimit).enumerated() {
      // A label limits the lines of each paragraph, not of the whole: LINE SEPARATOR breaks a line and no paragraph.
      if number > 0 { text.unicodeScalars.append("\u{2028}") }
      append(line: line)
    }
    if lines.count > lineLimit { text += "…" }
  }

  /// The first lines on one line, for a screen reader: white space as it is.
  package static func spoken(_ preview: String) -> String {
    guard let first = firstLineWithText(of: preview) else { return PreviewText(preview).text }
    let lines = lines(of: preview.unicodeScalars[first...], atMost: lineLimit + 1)
    let spoken = lines.prefix(lineLimit).map { String(String.UnicodeScalarView($0.map(picture))) }
    return spoken.joined(separator: " ") + (lines.count > lineLimit ? "…" : "")
  }

  private typealias Scalars = Substring.UnicodeScalarView

  private mutating func append(line: Scalars) {
    guard let first = line.firstIndex(where: { !$0.properties.isWhitespace }),
      let last = line.lastIndex(where: { !$0.properties.isWhitespace })
    else { return appendSigns(line) }
    appendSigns(line[..<first], keepingTabs: true)
    text.unicodeScalars.append(contentsOf: line[first...last].lazy.map(Self.picture))
    appendSigns(line[line.index(after: last)...])
  }

  /// - Parameter keepingTabs: whether a tab goes as far as it does in the text.
  private mutating func appendSigns(_ blanks: Scalars, keepingTabs: Bool = false) {
    guard !blanks.isEmpty else { return }
    let start = text.utf8.count
    for blank in blanks {
      text.unicodeScalars.append(Self.sign(blank))
      if keepingTabs && blank == "\t" { text.unicodeScalars.append(blank) }
    }
    signs.append(start..<text.utf8.count)
  }

  /// The lines of a text, of which only so many are looked for.
  private static func lines(of text: Scalars, atMost limit: Int) -> [Scalars] {
    var lines: [Scalars] = []
    var rest = text
    while lines.count < limit {
      guard let end = rest.firstIndex(where: isLineBreak) else { return lines + [rest] }
      lines.append(rest[..<end])
      var next = rest.index(after: end)
      if rest[end] == "\r", next < rest.endIndex, rest[next] == "\n" { next = rest.index(after: next) }
      rest = rest[next...]
    }
    return lines
  }

  /// Where the first line begins that is not all white space; nil if there is none.
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

  private static func sign(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar {
    case " ": "·"
    case "\t": "⇥"
    case _ where isLineBreak(scalar): "⏎"
    default: "⍽"
    }
  }
}
