/// The preview of a clip in its row, at most three lines for any text.
///
/// Symbols replace what would not be visible: white space at the beginning and the end of a line or in a blank text,
/// invisible characters, and characters that change the direction of others. Control characters are replaced with their
/// Unicode pictures.
package struct PreviewText: Equatable {
  package static let lineLimit = 3
  /// The maximum number of characters to show of a text with only white space.
  private static let blankLimit = 60
  /// The length of a word, in bytes, from which a line may break anywhere in it.
  ///
  /// Otherwise a long address or token would begin on a new line, and leave the line before it half empty.
  private static let longWord = 24

  /// The text that the label shows.
  package private(set) var text = ""
  /// The ranges of `text`, in bytes, that are symbols.
  package private(set) var signs: [Range<Int>] = []

  /// The number of lines from the text; the label ellipsizes each of several lines, and wraps a single one.
  package private(set) var lineCount = 1

  /// Converts the first lines of a preview.
  ///
  /// Leaves out blank lines unless all lines are blank.
  ///
  /// - Parameters:
  ///   - goesOn: Whether the text continues after the preview.
  ///   - isSpoken: Whether the result is for a screen reader, see `spoken`.
  package init(
    _ preview: String, goesOn: Bool = false, lineLimit: Int = Self.lineLimit, isSpoken: Bool = false
  ) {
    var lines = preview.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(
      \.unicodeScalars)
    let endsInBreak = lines.count > 1 && lines.last?.isEmpty == true && !goesOn
    if endsInBreak { lines.removeLast() }
    let seen = lines.indices.filter { !lines[$0].allSatisfy(\.properties.isWhitespace) }
    guard let last = seen.prefix(lineLimit).last else {
      appendSigns(preview.unicodeScalars.prefix(Self.blankLimit))
      if goesOn || preview.unicodeScalars.count > Self.blankLimit { appendEllipsis(isSpoken) }
      return
    }
    for number in seen.prefix(lineLimit) {
      if number > seen[0] { text += isSpoken ? " " : "\n" }
      let isWhole = !goesOn || number < lines.count - 1
      if isSpoken { append(lines[number]) } else { append(line: lines[number], isWhole: isWhole) }
    }
    lineCount = min(seen.count, lineLimit)
    if goesOn || seen.count > lineLimit {
      appendEllipsis(isSpoken)
    } else if !isSpoken, endsInBreak || last < lines.count - 1 {
      append(sign: "⏎")
    }
  }

  /// The first lines of a preview on one line for a screen reader, with symbols for white space only in a blank text.
  package static func spoken(_ preview: String, goesOn: Bool = false) -> String {
    PreviewText(preview, goesOn: goesOn, isSpoken: true).text
  }

  private typealias Scalars = Substring.UnicodeScalarView

  private mutating func append(line: Scalars, isWhole: Bool) {
    guard let first = line.firstIndex(where: { !$0.properties.isWhitespace }),
      let last = line.lastIndex(where: { !$0.properties.isWhitespace })
    else { return appendSigns(line) }
    appendSigns(line[..<first], keepingTabs: true)
    let end = line.index(after: last)
    append(line[first..<end], breakingWords: true)
    // Show symbols at the end of the line only if the line is complete.
    if isWhole { appendSigns(line[end...]) } else { text.unicodeScalars.append(contentsOf: line[end...]) }
  }

  private mutating func append(_ scalars: Scalars, breakingWords: Bool = false) {
    // Fast path: most lines contain only printable ASCII.
    guard !Substring(scalars).utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) else {
      return breakingWords
        ? append(breaking: Substring(scalars)) : text.append(contentsOf: Substring(scalars))
    }
    var hidden = HiddenCharacters()
    var rest = scalars.makeIterator()
    while let scalar = rest.next() {
      if let sign = hidden.sign(of: scalar, before: rest) {
        append(sign: sign)
      } else {
        text.unicodeScalars.append(Self.picture(scalar))
      }
    }
  }

  /// Appends printable ASCII, with U+200B ZERO WIDTH SPACE between the characters of long words.
  private mutating func append(breaking line: Substring) {
    for word in line.split(separator: " ", omittingEmptySubsequences: false) {
      if word.startIndex > line.startIndex { text += " " }
      text +=
        word.utf8.count < Self.longWord ? String(word) : word.map(String.init).joined(separator: "\u{200B}")
    }
  }

  /// - Parameter keepingTabs: Whether a tab follows its symbol, to keep the indentation of the text.
  private mutating func appendSigns(_ blanks: Scalars, keepingTabs: Bool = false) {
    for blank in blanks {
      append(sign: Self.sign(blank), keeping: keepingTabs && blank == "\t" ? blank : nil)
    }
  }

  private mutating func append(sign: Unicode.Scalar, keeping blank: Unicode.Scalar? = nil) {
    let start = text.utf8.count
    text.unicodeScalars.append(sign)
    if let blank { text.unicodeScalars.append(blank) }
    if let last = signs.last, last.upperBound == start {
      signs[signs.count - 1] = last.lowerBound..<text.utf8.count
    } else {
      signs.append(start..<text.utf8.count)
    }
  }

  /// Appends an ellipsis for a text that continues; it is separate and faint, so that it does not look like a part of
  /// the text.
  private mutating func appendEllipsis(_ isSpoken: Bool) {
    guard !isSpoken else { return text += "…" }
    text += "\u{A0}"
    append(sign: "…")
  }

  private static func isLineBreak(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "\n", "\r", "\u{0B}", "\u{0C}", "\u{85}", "\u{2028}", "\u{2029}": true
    default: false
    }
  }

  /// Replaces a control character other than a tab with its Unicode picture (U+2400 to U+241F, U+2421).
  static func picture(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
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

/// Finds invisible characters in a line, and characters that change the direction of others, one scalar at a time.
///
/// Characters that affect the shape of others are not replaced: joiners in emoji and between letters that join,
/// variation selectors, and the tags of a flag.
struct HiddenCharacters {
  private static let invisible: Unicode.Scalar = "◌"

  private var previous: Unicode.Scalar?
  /// How many of the next characters are tags of a flag.
  private var tagsOfFlag = 0

  /// The symbol that replaces `scalar`, the line's next character; nil if the character stays as it is.
  ///
  /// - Parameter rest: The characters after it in the line.
  mutating func sign(
    of scalar: Unicode.Scalar, before rest: Substring.UnicodeScalarView.Iterator
  ) -> Unicode.Scalar? {
    defer { previous = scalar }
    switch scalar.value {
    case ..<0x80: return nil
    // Bidirectional marks, embeddings, overrides and isolates. In order: right-to-left; left-to-right; the characters
    // that end an embedding, override or isolate, or start an isolate whose direction depends on its text.
    case 0x061C, 0x200F, 0x202B, 0x202E, 0x2067: return "⇠"
    case 0x200E, 0x202A, 0x202D, 0x2066: return "⇢"
    case 0x202C, 0x2068, 0x2069: return "⇄"
    // C1 controls, the blank braille pattern, interlinear annotation marks, and the musical null notehead.
    case ..<0xA0, 0x2800, 0xFFF9...0xFFFB, 0x1D159: return Self.invisible
    case 0x1F3F4: tagsOfFlag = Self.tagCount(rest)
    default: break
    }
    guard scalar.properties.isDefaultIgnorableCodePoint else { return nil }
    var rest = rest
    return formsOthers(scalar, before: rest.next()) ? nil : Self.invisible
  }

  private mutating func formsOthers(_ scalar: Unicode.Scalar, before next: Unicode.Scalar?) -> Bool {
    if tagsOfFlag > 0 {
      tagsOfFlag -= 1
      return true
    }
    if scalar == "\u{200D}", Self.isEmoji(next), previous == "\u{FE0F}" || Self.isEmoji(previous) {
      return true
    }
    // Of several ignorable characters in a row, only the first affects the shapes of the characters around them.
    guard previous?.properties.isDefaultIgnorableCodePoint != true else { return false }
    return switch scalar.value {
    case 0x200B: Self.isWrittenWithoutSpaces(previous) && Self.isWrittenWithoutSpaces(next)
    case 0x200C, 0x200D: Self.isJoined(previous) || Self.isJoined(next)
    case 0x034F: previous != nil && next?.properties.canonicalCombiningClass ?? .notReordered != .notReordered
    case 0x180B...0x180F: previous.map { (0x1800...0x18AF).contains($0.value) } ?? false
    case 0xFE0E, 0xFE0F: Self.isEmoji(previous) || next == "\u{20E3}"
    case 0xFE00...0xFE0D: previous.map { $0.value > 0x7F && !$0.properties.isWhitespace } ?? false
    case 0xE0100...0xE01EF: previous?.properties.isIdeographic ?? false
    default: false
    }
  }

  /// The number of tags of a flag at the start of `scalars`: the tags of its region (Scotland is `gbsct`) and the
  /// cancel tag.
  private static func tagCount(_ scalars: Substring.UnicodeScalarView.Iterator) -> Int {
    for (count, scalar) in IteratorSequence(scalars).prefix(7).enumerated() {
      switch scalar.value {
      case 0xE0030...0xE0039, 0xE0061...0xE007A: continue
      case 0xE007F where count > 2: return count + 1
      default: return 0
      }
    }
    return 0
  }

  /// Whether a scalar is an emoji, excluding the digits, which Unicode counts as emoji.
  private static func isEmoji(_ scalar: Unicode.Scalar?) -> Bool {
    scalar.map { $0.value > 0x7F && $0.properties.isEmoji } ?? false
  }

  /// Whether a scalar belongs to a script whose letters join or form ligatures, such as Arabic, the Indic scripts or
  /// Myanmar.
  private static func isJoined(_ scalar: Unicode.Scalar?) -> Bool {
    switch scalar?.value ?? 0 {
    case 0x0600...0x109F, 0x1700...0x18AF, 0x1900...0x1CFF, 0xA800...0xABFF, 0xFB50...0xFEFC,
      0x10A00...0x11FFF, 0x1E900...0x1E95F:
      true
    default: false
    }
  }

  /// Whether a scalar belongs to a script in which U+200B separates words: Thai, Lao, Tibetan, Myanmar, Khmer, Tai.
  private static func isWrittenWithoutSpaces(_ scalar: Unicode.Scalar?) -> Bool {
    switch scalar?.value ?? 0 {
    case 0x0E00...0x109F, 0x1780...0x17FF, 0x1950...0x19FF, 0x1A20...0x1AAF: true
    default: false
    }
  }
}
