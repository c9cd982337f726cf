import TestSupport
import Testing

@testable import CopyPastaApp

@Suite struct PreviewTextTests {
  private func shown(_ preview: String) -> String { PreviewText(preview).text }

  @Test func `a preview has at most the preferred number of lines`() {
    #expect(shown("one\ntwo\r\nthree") == "one\ntwo\nthree")
    #expect(shown("1\n2\n3\n4\n5") == "1\n2\n3\u{A0}…")
    #expect(PreviewText("1\n2\n3", lineLimit: 2).text == "1\n2\u{A0}…")
    #expect(PreviewText("1\n2", lineLimit: 1).text == "1\u{A0}…")
    #expect(PreviewText.spoken("1\n2\n3\n4") == "1 2 3…")
    #expect(shown("a\rb\u{2029}c") == "a\nb\nc")
  }

  @Test func `a preview skips blank lines`() {
    #expect(shown("\n \r\n\t\nfirst\nmore") == "first\nmore")
    #expect(shown("a\n\n  \nb\n\t\nc") == "a\nb\nc")
    #expect(shown("a\n\nb\n\nc\n\nd") == "a\nb\nc\u{A0}…")
    #expect(PreviewText.spoken("a\n\nb") == "a b")
  }

  @Test func `a preview shows trailing line breaks as a symbol`() {
    #expect(shown("a\n") == "a⏎")
    #expect(shown("a\n ") == "a⏎")
    #expect(shown("a" + String(repeating: "\n", count: 300)) == "a⏎")
    #expect(shown("a \nb\n \n") == "a·\nb⏎")
    #expect(PreviewText.spoken("a\n") == "a")
  }

  /// Otherwise the line before it would stay half empty.
  @Test func `a preview line may break anywhere in a long word`() {
    let word = "0123456789abcdef01234567"
    let broken = word.map(String.init).joined(separator: "\u{200B}")
    #expect(shown("to: \(word)  \(word.dropLast())") == "to: \(broken)  \(word.dropLast())")
    #expect(PreviewText.spoken(word) == word)
  }

  @Test func `a preview shows white space at the ends of a line as symbols, but not to a screen reader`() {
    #expect(PreviewText.spoken("  two before ") == "  two before ")
    #expect(shown("  two before") == "··two before")
    #expect(shown("two after  \nand a tab\t") == "two after··\nand a tab⇥")
    #expect(shown("\tindented\n\t further") == "⇥\tindented\n⇥\t·further")
    #expect(shown("a  b\tc") == "a  b\tc")
    #expect(shown("a\u{A0}") == "a⍽")
  }

  @Test func `a preview of nothing but white space shows symbols, also to a screen reader`() {
    #expect(PreviewText.spoken(" ") == "·")
    #expect(shown(" \t\n") == "·⇥⏎")
    #expect(shown(String(repeating: " ", count: 60)) == String(repeating: "·", count: 60))
    #expect(shown(String(repeating: " ", count: 400)) == String(repeating: "·", count: 60) + "\u{A0}…")
  }

  @Test func `a truncated preview ends with an ellipsis and has no symbol at the cut`() {
    #expect(PreviewText("The quick brown ", goesOn: true).text == "The quick brown \u{A0}…")
    #expect(PreviewText("one\ntwo \nthree\t", goesOn: true).text == "one\ntwo·\nthree\t\u{A0}…")
    #expect(PreviewText("1 \n2\n3 \n4", goesOn: true).text == "1·\n2\n3·\u{A0}…")
    #expect(PreviewText("ends with…", goesOn: true).text == "ends with…\u{A0}…")
    #expect(PreviewText("  ", goesOn: true).text == "··\u{A0}…")
    #expect(PreviewText.spoken("The quick brown ", goesOn: true) == "The quick brown …")
    #expect(!shown("The quick brown").contains("…"))
  }

  @Test func `a preview shows control characters, also those for bidirectional text, as symbols`() {
    #expect(shown("a\u{1b}[1m") == "a␛[1m")
    #expect(shown("safe \u{202E}gpj.exe") == "safe ⇠gpj.exe")
    #expect(shown("\u{2066}a\u{2069}\u{202D}b\u{202C}") == "⇢a⇄⇢b⇄")
    #expect(shown("שלום\u{200F} \u{200E}a\u{61C}\u{2068}") == "שלום⇠ ⇢a⇠⇄")
    let written = PreviewText("\u{202E}ab\u{2067}\u{202E}")
    #expect(written.text == "⇠ab⇠⇠")
    #expect(written.signs == [0..<3, 5..<11])
  }

  @Test(
    .tags(.showsWhatIsCopied),
    arguments: [
      "\u{AD}", "\u{34F}", "\u{115F}", "\u{1160}", "\u{17B4}", "\u{180E}", "\u{200B}", "\u{200C}", "\u{200D}",
      "\u{2060}", "\u{2064}", "\u{206A}", "\u{2800}", "\u{3164}", "\u{FE0F}", "\u{FEFF}", "\u{FFA0}",
      "\u{FFF9}", "\u{80}", "\u{1D159}", "\u{1D173}", "\u{E0001}", "\u{E0061}", "\u{E0101}",
    ])
  func `a preview shows invisible characters as symbols`(hidden: String) {
    #expect(shown(hidden) == "◌")
    #expect(shown("a" + hidden + "b") == "a◌b")
    #expect(shown(hidden + hidden + " ") == "◌◌·")
    #expect(PreviewText.spoken("a" + hidden) == "a◌")
  }

  @Test(
    arguments: [
      "👨‍👩‍👧‍👦", "❤️‍🔥", "👁️‍🗨️", "🏴‍☠️", "🧑🏽‍🚀", "1️⃣", "©️", "☎︎", "🏴󠁧󠁢󠁳󠁣󠁴󠁿 🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🇨🇭",
      "می‌خواهم", "ه‍", "‍ه", "क्‍ष", "क्‌ष", "ශ්‍රී", "葛\u{E0101}", "≨︀", "ᠠ\u{180B}", "ខ្ញុំ\u{200B}ទៅ", "א\u{34F}\u{5B8}",
      "กิน\u{200B}ข้าว",
    ])
  func `a preview keeps invisible characters that shape their neighbours`(text: String) {
    #expect(shown(text) == text)
    #expect(PreviewText.spoken(text) == text)
  }

  @Test(
    arguments: [
      ("👨\u{200D}", "👨◌"), ("a\u{200D}b", "a◌b"), ("🏴\u{E0061}\u{E0062}\u{E0063}", "🏴◌◌◌"),
      ("🏴\u{E0048}\u{E0049}\u{E0050}\u{E007F}", "🏴◌◌◌◌"), ("☎\u{FE0E}\u{FE0F}", "☎\u{FE0E}◌"),
      ("a\u{FE0F}", "a◌"),
      ("می\u{200C}\u{200C}خ", "می\u{200C}◌خ"), ("م\u{200B}م", "م◌م"), ("é\u{E0101}", "é◌"),
    ])
  func `a preview shows a symbol for a joiner or selector without effect`(text: String, expected: String) {
    #expect(shown(text) == expected)
  }

  @Test(arguments: ["", "none", "  ab  \n c", " \n ", "é  ", "\u{2029} 🍝 "])
  func `the ranges that a preview reports for symbols contain exactly the symbols`(_ preview: String) {
    let written = PreviewText(preview)
    let bytes = Array(written.text.utf8)
    let rest = written.signs.reversed().reduce(into: bytes) { $0.removeSubrange($1) }
    let signs = written.signs.map { String(decoding: bytes[$0], as: UTF8.self) }.joined()
    #expect(signs.allSatisfy { "·⇥⏎⍽…".contains($0) })
    #expect(!String(decoding: rest, as: UTF8.self).contains("·"))
  }
}
