import ClipHistory
import GtkKit

/// The beginning of a text, converted so that GTK lays it out without a noticeable pause.
///
/// If a line cannot wrap, GTK's layout time grows with the square of the number of its parts. Therefore tabs become
/// spaces, symbols replace invisible characters, and a line is split if it or a word in it is too long. `part` maps
/// shown characters back to the bytes of the text.
struct ShownText: Equatable, Sendable {
  /// The maximum size of the shown text, in bytes.
  static let sizeLimit = 1 << 20
  /// The maximum number of shown lines, limited separately because even an empty line takes some 130 bytes in GTK.
  static let lineCountLimit = 20_000
  /// The maximum length of a line, in bytes.
  static let lineLimit = 2 << 10
  /// The maximum length of a word, including the blanks after it, in bytes.
  static let wordLimit = 512
  private static let tabWidth = 8

  private(set) var text = ""
  /// The number of Unicode scalars in the whole text.
  let characterCount: Int
  /// Whether the text continues after the shown part.
  private(set) var isCut = false
  private(set) var hasBrokenLines = false
  private(set) var hasSigns = false
  private var source: [UInt8] = []
  /// The offset in `source` at which each character of `text` begins, and at which the last character ends.
  private var offsets: [UInt32] = []

  init(_ text: ClipText) {
    characterCount = text.bytes.count { !UTF8.isContinuation($0) }
    let beginning = Substring(text.leading(Self.sizeLimit))
    offsets.reserveCapacity(beginning.utf8.count + 1)
    var rest = beginning.unicodeScalars.makeIterator()
    var (line, lineCount) = (Line(), 1)
    var (end, last): (Int, Unicode.Scalar?) = (0, nil)
    while self.text.utf8.count < Self.sizeLimit, lineCount <= Self.lineCountLimit, let scalar = rest.next() {
      let start = end
      end += UTF8.width(scalar)
      defer { last = scalar }
      if scalar == "\n" || scalar == "\r" || scalar == "\u{2029}" {
        show(scalar, from: start)
        line = Line()
        if scalar != "\n" || last != "\r" { lineCount += 1 }
        continue
      }
      let sign = line.hidden.sign(of: scalar, before: rest)
      let shown = sign ?? PreviewText.picture(scalar)
      hasSigns = hasSigns || sign != nil
      if !line.hasRoom(for: shown) {
        show("\n", from: start)
        hasBrokenLines = true
        line = Line()
        lineCount += 1
      }
      if shown == "\t" {
        let width = Self.tabWidth - line.column % Self.tabWidth
        // Map the tab to the first of its spaces: a selection that includes this space includes the tab.
        for space in 0..<width { show(" ", from: space == 0 ? start : end) }
        for _ in 0..<width { line.add(" ") }
      } else {
        show(shown, from: start)
        line.add(shown)
      }
    }
    offsets.append(UInt32(end))
    source = Array(text.bytes[..<end])
    isCut = end < text.byteCount
  }

  /// The bytes of the text for a range of shown characters.
  func part(_ characters: Range<Int>) -> [UInt8] {
    let characters = characters.clamped(to: 0..<offsets.count - 1)
    return Array(source[Int(offsets[characters.lowerBound])..<Int(offsets[characters.upperBound])])
  }

  private mutating func show(_ scalar: Unicode.Scalar, from offset: Int) {
    text.unicodeScalars.append(scalar)
    offsets.append(UInt32(offset))
  }

  /// The state of the line that is being converted.
  private struct Line {
    var hidden = HiddenCharacters()
    private(set) var column = 0
    private var size = 0
    private var wordSize = 0
    private var isBlank = true

    func hasRoom(for scalar: Unicode.Scalar) -> Bool {
      let size = scalar == "\t" ? ShownText.tabWidth : UTF8.width(scalar)
      return self.size + size <= ShownText.lineLimit
        && (beginsWord(scalar) || wordSize + size <= ShownText.wordLimit)
    }

    mutating func add(_ scalar: Unicode.Scalar) {
      if beginsWord(scalar) { wordSize = 0 }
      isBlank = scalar == " "
      size += UTF8.width(scalar)
      wordSize += UTF8.width(scalar)
      column += 1
    }

    /// Whether a line can wrap before the next character: after a blank, or before a Chinese, Japanese or Korean
    /// character.
    private func beginsWord(_ scalar: Unicode.Scalar) -> Bool {
      switch scalar.value {
      case 0x09, 0x20: false
      case 0x2E80...0xD7FF, 0xF900...0xFAFF, 0xFF00...0xFFEF, 0x20000...: true
      default: isBlank
      }
    }
  }

  /// How the shown text differs from the original, in the user's language; nil if it does not.
  @MainActor var note: String? {
    let notes = [
      // Round up to KiB, because a text that is cut at 1 MiB may end a few bytes earlier, before a character.
      isCut ? tr("Showing the first %s.").filled(with: Format.size((source.count + 1023) & ~1023)) : nil,
      hasBrokenLines ? tr("Long lines are split here.") : nil,
      hasSigns ? tr("Symbols stand for invisible characters.") : nil,
    ].compactMap(\.self)
    guard !notes.isEmpty else { return nil }
    return (notes + [tr("Copy always copies the whole text.")]).joined(separator: " ")
  }
}
