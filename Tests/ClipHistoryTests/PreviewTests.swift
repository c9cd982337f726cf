import ClipHistory
import TestSupport
import Testing

struct PreviewTests {
  private func preview(_ string: String) throws -> String? { Preview.make(of: try ClipText(string)) }

  @Test func `a text of up to 400 bytes needs no stored preview`() throws {
    #expect(try preview("a") == nil)
    #expect(try preview(String(repeating: "a", count: 400)) == nil)
    #expect(try preview(String(repeating: "é", count: 200)) == nil)
    #expect(try preview(String(repeating: "a", count: 401)) == String(repeating: "a", count: 400))
  }

  /// Each argument is a single character of several scalars, tried at every position across the limit.
  @Test(arguments: ["👨‍👩‍👧‍👦", "🇨🇭", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "👍🏽", "e\u{301}\u{323}", "\r\n", "각", "नि", "❤️‍🔥", "€"])
  func `a preview never cuts a character`(character: String) throws {
    for before in 360...400 {
      let string = String(repeating: "a", count: before) + String(repeating: character, count: 40)
      guard string.utf8.count > 400 else { continue }
      let preview = try #require(try preview(string))
      let fitting = (400 - before) / character.utf8.count
      #expect(preview.unicodeScalars.count == before + fitting * character.unicodeScalars.count)
      #expect(Array(string.utf8).starts(with: preview.utf8))
    }
  }

  @Test(arguments: ["\u{301}", "\u{200d}👩", "\u{fe0f}"])
  func `a preview ends before a huge character, or within a huge first character`(part: String) throws {
    let string = "👩" + String(repeating: part, count: 10_000)
    let preview = try #require(try preview(string))
    #expect((397...400).contains(preview.utf8.count))
    #expect(Array(string.utf8).starts(with: preview.utf8))
    #expect(String(validating: preview.utf8, as: UTF8.self) == preview)
    #expect(try self.preview("abc " + string) == "abc ")
  }

  @Test(arguments: ["\n", " ", "\t", "\r\n", "\u{a0}", "\u{2003}", "\u{2028}"])
  func `a preview begins at the first visible character`(blank: String) throws {
    let blanks = String(repeating: blank, count: 500)
    #expect(try preview(blanks + "hello\n  world") == "hello\n  world")
    let long = try #require(try preview(blanks + String(repeating: "a", count: 1_000)))
    #expect(long == String(repeating: "a", count: 400))
    #expect(try preview(blanks + " \u{301}x") == " \u{301}x", "a space with an accent is visible")
  }

  @Test
  func `a preview skips up to 4 KiB of leading white space, and begins at the text's start if there is more`()
    throws
  {
    let visible = "x" + String(repeating: "y", count: 500)
    #expect(try preview(String(repeating: " ", count: 4096) + visible)?.first == "x")
    let blank = String(repeating: " ", count: 400)
    #expect(try preview(String(repeating: " ", count: 4097) + visible) == blank)
    #expect(try preview(String(repeating: " ", count: 100_000)) == blank)
  }

  @Test(.tags(.previewsAnySize)) func `a preview is the same whatever follows the part that it shows`() throws
  {
    let start = String(repeating: "word ", count: 2_000)
    #expect(try preview(start) == preview(start + String(repeating: "👩‍👧", count: 500_000)))
  }
}
