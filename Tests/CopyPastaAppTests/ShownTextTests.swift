import ClipHistory
import TestSupport
import Testing

@testable import CopyPastaApp

/// The part of a text that the full-text window shows, in a form that GTK lays out quickly.
@Suite struct ShownTextTests {
  @Test func `a text of 1 MiB is shown unchanged and without a note`() async throws {
    // Each repetition has 128 bytes.
    let text = String(repeating: String(repeating: "a line ", count: 16) + "of 🙂\r\n++++++\n", count: 1 << 13)
    #expect(text.utf8.count == ShownText.sizeLimit)
    let shown = try Self.shown(text)
    #expect(Self.bytes(shown.text) == Array(text.utf8))
    #expect(await shown.note == nil)
  }

  @Test(arguments: 0...3)
  func `a text above 1 MiB is cut at a character boundary, and a note mentions the cut`(offset: Int)
    async throws
  {
    let text = String(repeating: "a", count: offset) + String(repeating: "🙂 🙂 ", count: 1 << 17)
    let shown = try Self.shown(text)
    #expect(shown.isCut)
    let part = shown.part(0..<Int.max)
    #expect(text.utf8.starts(with: part))
    #expect((ShownText.sizeLimit - 1024...ShownText.sizeLimit).contains(part.count))
    let note = await shown.note ?? ""
    #expect(
      note.hasPrefix("Showing the first 1.0") && note.hasSuffix("Copy always copies the whole text."),
      "\(note)")
  }

  @Test(arguments: ["a", "é", "🙂"], [0, 1])
  func `a long word is split at a character boundary, and a note mentions the split`(
    character: String, offset: Int
  ) async throws {
    let text = String(repeating: "b", count: offset) + String(repeating: character, count: 3000)
    let shown = try Self.shown(text)
    #expect(shown.text.filter { $0 != "\n" } == text)
    let lines = shown.text.split(separator: "\n")
    #expect(lines.dropLast().allSatisfy { (0...3).contains(ShownText.wordLimit - $0.utf8.count) })
    #expect(await shown.note == "Long lines are split here. Copy always copies the whole text.")
  }

  @Test(arguments: ["\n", "\r", "\r\n", "\u{2029}"], ["word ", "漢"])
  func `a line of exactly the maximum length is not split`(end: String, word: String) async throws {
    let line = String(repeating: word, count: ShownText.lineLimit / word.utf8.count)
    let text = String(repeating: line + end, count: 3)
    let shown = try Self.shown(text)
    #expect(Self.bytes(shown.text) == Array(text.utf8))
    #expect(await shown.note == nil)
    #expect(try await Self.shown(line + word + end).note != nil)
  }

  @Test func `a tab is shown as spaces up to the next tab stop`() async throws {
    let shown = try Self.shown("a\tb\n\tc\n12345678\td")
    #expect(shown.text == "a       b\n        c\n12345678        d")
    #expect(await shown.note == nil)
  }

  @Test func `the full text has symbols for invisible characters, and a note says so`() async throws {
    let shown = try Self.shown("a\u{200E}b\u{202E}c\u{AD}d\u{1}")
    #expect(shown.text == "a⇢b⇠c◌d␁")
    #expect(await shown.note == "Symbols stand for invisible characters. Copy always copies the whole text.")
    // Invisible characters that shape others are kept.
    #expect(try await Self.shown("👩‍👩‍👧 می‌خواهم").note == nil)
  }

  /// Repeated to 1 MiB, each of these blocked the main loop of GTK 4.8 for more than a second or took 100 MB.
  @Test(arguments: [
    "\t", " \t", "a\t", " ", "\u{200E}", "\u{200B}", "\u{202A}\u{202C}", "\n", "\r\n", "\u{2028}", "x",
    "\u{301}",
    "👩‍👩‍👧‍👦", "مرحبا", "\t\u{200E}", "\u{1}",
  ])
  func `the full-text window limits the length and number of displayed lines`(part: String) throws {
    // A sixteenth of 1 MiB suffices to reach the limits of lines and words.
    let text = String.repetition(of: part, count: ShownText.sizeLimit / 16 / part.utf8.count + 1)
    let shown = try Self.shown(text).text
    #expect(shown.utf8.count <= ShownText.sizeLimit + 8)
    #expect(!shown.unicodeScalars.contains { $0 == "\t" || $0 == "\u{200E}" || $0 == "\u{202A}" })
    let lines = shown.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r" }
    #expect(lines.count <= 2 * ShownText.lineCountLimit + 2)
    for line in lines {
      #expect(Substring(line).utf8.count <= ShownText.lineLimit)
      let words = Substring(line).utf8.split(separator: UInt8(ascii: " "))
      #expect(words.allSatisfy { $0.count <= ShownText.wordLimit })
    }
  }

  @Test(.tags(.showsWhatIsCopied)) func `every part of the displayed text maps back to its original bytes`()
    throws
  {
    let text =
      "a\tb\u{200E}é🙂\r\n\t\t\u{1}漢" + String(repeating: "0123456789", count: 120) + "\n" + "e\u{301}"
    let shown = try Self.shown(text)
    let count = shown.text.unicodeScalars.count
    #expect(shown.part(0..<count) == Array(text.utf8))
    for place in 0...count {
      #expect(shown.part(0..<place) + shown.part(place..<count) == Array(text.utf8))
    }
    #expect(shown.part(0..<2) == Array("a\t".utf8))
    #expect(shown.part(1..<2) == [9] && shown.part(2..<8) == [] && shown.part(8..<9) == Array("b".utf8))
    // A range beyond the end has no bytes.
    #expect(shown.part(count..<count + 9) == [])
  }

  @Test func `the whole text's characters are counted as Unicode scalars`() throws {
    #expect(try Self.shown("é🙂\n").characterCount == 3)
    #expect(try Self.shown(.repetition(of: "é", count: 1 << 20)).characterCount == 1 << 20)
  }

  private static func shown(_ text: String) throws -> ShownText {
    ShownText(try ClipText(validating: Array(text.utf8)))
  }

  private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
}
