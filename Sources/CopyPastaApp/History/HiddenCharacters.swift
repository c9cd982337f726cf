/// Finds what the eye would miss in a text, as it is gone through: characters that are not drawn, and those that turn
/// the order of what is drawn round.
///
/// What gives other characters their form stays as it is: joiners in emoji and between letters that join, variants, the
/// tags of a flag.
struct HiddenCharacters {
  private static let invisible: Unicode.Scalar = "◌"

  private var previous: Unicode.Scalar?
  /// How many of the next characters belong to a flag.
  private var tagsOfFlag = 0

  /// What to show in the place of the next character, if it would not be seen.
  ///
  /// - Parameter rest: what comes after it in its line.
  mutating func sign(
    of scalar: Unicode.Scalar, before rest: Substring.UnicodeScalarView.Iterator
  ) -> Unicode.Scalar? {
    defer { previous = scalar }
    switch scalar.value {
    case ..<0x80: return nil
    // What turns to the left, what turns to the right, and what ends that or goes by the text.
    case 0x061C, 0x200F, 0x202B, 0x202E, 0x2067: return "⇠"
    case 0x200E, 0x202A, 0x202D, 0x2066: return "⇢"
    case 0x202C, 0x2068, 0x2069: return "⇄"
    // Control characters, braille without a dot, marks of annotations, a note without a head.
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
    // One after the other: only the first one can.
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

  /// How many of these are the tags of a flag: those of a place (Scotland is `gbsct`), and the one that ends them.
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

  /// Digits count as emoji, too.
  private static func isEmoji(_ scalar: Unicode.Scalar?) -> Bool {
    scalar.map { $0.value > 0x7F && $0.properties.isEmoji } ?? false
  }

  /// Whether it is of a script whose letters join, or form others: from Arabic to Myanmar, and their kin.
  private static func isJoined(_ scalar: Unicode.Scalar?) -> Bool {
    switch scalar?.value ?? 0 {
    case 0x0600...0x109F, 0x1700...0x18AF, 0x1900...0x1CFF, 0xA800...0xABFF, 0xFB50...0xFEFC,
      0x10A00...0x11FFF, 0x1E900...0x1E95F:
      true
    default: false
    }
  }

  /// Whether it is of a script in which U+200B tells where a word ends: Thai, Lao, Tibetan, Myanmar, Khmer, Tai.
  private static func isWrittenWithoutSpaces(_ scalar: Unicode.Scalar?) -> Bool {
    switch scalar?.value ?? 0 {
    case 0x0E00...0x109F, 0x1780...0x17FF, 0x1950...0x19FF, 0x1A20...0x1AAF: true
    default: false
    }
  }
}
