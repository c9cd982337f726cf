import ClipHistory
import Testing

@testable import CopyPastaApp

/// The part that a window shows of a text that may be too large for it.
@MainActor
@Suite struct ShownTextTests {
  @Test func `a text of a MiB is shown as it is, and nothing is said`() throws {
    // 16 bytes each.
    let text = String(repeating: "line of 🙂\r\n+\n", count: ShownText.sizeLimit / 16)
    #expect(text.utf8.count == ShownText.sizeLimit)
    let shown = try Self.shown(text)
    #expect(shown.text == text)
    #expect(shown.note == nil)
  }

  @Test(arguments: 0...3)
  func `a larger text is cut at a character's boundary, and a line says so`(offset: Int) throws {
    let text = String(repeating: "a", count: offset) + String(repeating: "🙂\n🙂", count: 130_000)
    let shown = try Self.shown(text)
    #expect(shown.isCut && text.utf8.starts(with: shown.text.utf8))
    #expect((ShownText.sizeLimit - 3...ShownText.sizeLimit).contains(shown.text.utf8.count))
    #expect(shown.note == "Only the first MiB is shown. The Copy button copies the whole text as it is.")
  }

  @Test(arguments: ["a", "é", "漢", "🙂"], [0, 1])
  func `a long line is broken at a character's boundary, and a line says so`(
    character: String, offset: Int
  ) throws {
    let text = String(repeating: "b", count: offset) + String(repeating: character, count: 3000)
    let shown = try Self.shown(text)
    #expect(shown.text.filter { $0 != "\n" } == text)
    let lines = shown.text.split(separator: "\n")
    #expect(lines.dropLast().allSatisfy { (0...3).contains($0.utf8.count - ShownText.lineLimit) })
    #expect(
      shown.note == "Lines longer than 2 KiB are split here. The Copy button copies the whole text as it is.")
  }

  @Test(arguments: ["\n", "\r", "\r\n"])
  func `a line that is just as long as it may be is not broken`(end: String) throws {
    let text = String(repeating: String(repeating: "a", count: ShownText.lineLimit) + end, count: 3)
    let shown = try Self.shown(text)
    #expect(shown.text == text && shown.note == nil)
  }

  private static func shown(_ text: String) throws -> ShownText {
    ShownText(try ClipText(validating: Array(text.utf8)))
  }
}
