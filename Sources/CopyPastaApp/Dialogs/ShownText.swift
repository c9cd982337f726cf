import ClipHistory
import GtkKit

/// The part of a text that a window shows: its beginning, in a form that GTK lays out without a pause.
///
/// GTK's time for a line grows with the square of its parts where nothing wraps. So tabs are shown as spaces, characters
/// that are not drawn as signs, and a line is split where it, or a word in it, is too long. `part` leads back from what
/// is shown to the bytes of the text.
struct ShownText: Equatable, Sendable {
  /// How much is shown at most, in bytes.
  static let sizeLimit = 1 << 20
  /// How many lines are shown at most: each takes some 130 bytes in GTK, also if it is empty.
  static let lineCountLimit = 20_000
  /// How long a line is at most, in bytes.
  static let lineLimit = 2 << 10
  /// How long a word is at most, with the blanks behind it, in bytes.
  static let wordLimit = 512
  private static let tabWidth = 8

  /// What is shown.
  private(set) var text = ""
  /// The number of characters of the whole text, as Unicode counts them.
  let characterCount: Int
  /// Whether the text goes on.
  private(set) var isCut = false
  /// Whether there are line breaks that the text itself does not have.
  private(set) var hasBrokenLines = false
  /// Whether signs stand for characters that are not drawn.
  private(set) var hasSigns = false
  /// The bytes of the text that are shown.
  private var source: [UInt8] = []
  /// Where each character of `text` begins in `source`, and where the last one ends.
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
        // A selection has the tab if it has the first of its spaces.
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

  /// The bytes of the text behind some of the characters that are shown.
  func part(_ characters: Range<Int>) -> [UInt8] {
    let characters = characters.clamped(to: 0..<offsets.count - 1)
    return Array(source[Int(offsets[characters.lowerBound])..<Int(offsets[characters.upperBound])])
  }

  private mutating func show(_ scalar: Unicode.Scalar, from offset: Int) {
    text.unicodeScalars.append(scalar)
    offsets.append(UInt32(offset))
  }

  /// A line as far as it is written.
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

    /// Whether a line can be wrapped before the next character: after a blank, and between Chinese, Japanese and Korean
    /// ones.
    private func beginsWord(_ scalar: Unicode.Scalar) -> Bool {
      switch scalar.value {
      case 0x09, 0x20: false
      case 0x2E80...0xD7FF, 0xF900...0xFAFF, 0xFF00...0xFFEF, 0x20000...: true
      default: isBlank
      }
    }
  }

  /// The words that say how what is shown differs from the text; nil if it does not.
  @MainActor var note: String? {
    let notes = [
      isCut ? tr("Showing the first %s.").filled(with: Format.size(source.count)) : nil,
      hasBrokenLines ? tr("Long lines are split here.") : nil,
      hasSigns ? tr("Signs stand for invisible characters.") : nil,
    ].compactMap(\.self)
    guard !notes.isEmpty else { return nil }
    return (notes + [tr("Copy takes everything as it is.")]).joined(separator: " ")
  }
}
