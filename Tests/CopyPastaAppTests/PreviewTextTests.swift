import Testing

@testable import CopyPastaApp

@Suite struct PreviewTextTests {
  private func shown(_ preview: String) -> String { PreviewText(preview).text }

  @Test func `a preview has three lines at most`() {
    #expect(shown("one\ntwo\r\nthree") == "one\u{2028}two\u{2028}three")
    #expect(shown("1\n2\n3\n4\n5") == "1\u{2028}2\u{2028}3…")
    #expect(shown("a" + String(repeating: "\n", count: 300)) == "a\u{2028}\u{2028}…")
    #expect(shown("a\rb\u{2029}c") == "a\u{2028}b\u{2028}c")
    #expect(shown("\n \r\n\t\nfirst\nmore") == "first\u{2028}more")
  }

  @Test func `control characters can be seen`() {
    #expect(shown("a\u{1b}[1m") == "a␛[1m")
  }

  @Test func `white space at the ends of a line can be seen`() {
    #expect(shown("  two before") == "··two before")
    #expect(shown("two after  \nand a tab\t") == "two after··\u{2028}and a tab⇥")
    #expect(shown("\tindented\n\t further") == "⇥\tindented\u{2028}⇥\t·further")
    #expect(shown("a  b\tc") == "a  b\tc")
    #expect(shown("a\u{A0}") == "a⍽")
  }

  @Test func `white space alone can be seen`() {
    #expect(shown(" \t\n") == "·⇥⏎")
    #expect(shown("a\n  \nb") == "a\u{2028}··\u{2028}b")
    #expect(shown(String(repeating: " ", count: 400)).count == 60)
  }

  @Test(arguments: ["", "none", "  ab  \n c", " \n ", "é  ", "\u{2029} 🍝 "])
  func `signs are where they are said to be`(_ preview: String) {
    let written = PreviewText(preview)
    let bytes = Array(written.text.utf8)
    let rest = written.signs.reversed().reduce(into: bytes) { $0.removeSubrange($1) }
    let signs = written.signs.map { String(decoding: bytes[$0], as: UTF8.self) }.joined()
    #expect(signs.allSatisfy { "·⇥⏎⍽".contains($0) })
    #expect(!String(decoding: rest, as: UTF8.self).contains("·"))
  }

  @Test func `a screen reader hears the text as it is`() {
    #expect(PreviewText.spoken("one\ntwo") == "one two")
    #expect(PreviewText.spoken("  two before ") == "  two before ")
    #expect(PreviewText.spoken("1\n2\n3\n4") == "1 2 3…")
    #expect(PreviewText.spoken(" ") == "·")
  }
}
