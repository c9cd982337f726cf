import TestSupport
import Testing

/// A captured text is stored byte for byte, and an empty text is not stored.
@Suite struct CaptureTextTests {
  private static let texts = [
    " leading and trailing \t\n", "\n", " ", "\t\ttabs\tand\n\nempty lines\n\n", "carriage\r\nreturns\r",
    "control \u{1}\u{1b}[31m\u{7f} characters",
    "bidi \u{202e}marks\u{202c} \u{200f}שלום\u{200e}\u{2066}مرحبا\u{2069}",
    "👩🏽‍🚀👨‍👩‍👧‍👦🇨🇭 1️⃣", "e\u{301} is not \u{e9}, nor o\u{308}\u{323} \u{1ecd}\u{308}", "\u{feff}byte order mark",
    "\u{10ffff}\u{fffd}\u{fffe}", "<b>&amp;</b> %s \\n ' \" ; --", "no\u{a0}break\u{2028}separators\u{2029}",
  ]

  @Test func `a captured text is stored byte for byte`() async throws {
    try await Scene.run { scene in
      for text in Self.texts {
        try await scene.desktop.copy(text)
        // This compares bytes, unlike `==` of strings.
        try await scene.expectNewest(text)
      }
      #expect(try await scene.history.count() == Self.texts.count)
      try await scene.waitForFirstRow()
    }
  }
}

extension Scene {
  /// A text of `size` bytes that does not repeat, with characters of two and four bytes.
  static func text(ofSize size: Int) -> String {
    var text = ""
    var line = 0
    while text.utf8.count + 64 < size {
      line += 1
      text += "line \(line) é 🍝 of a large text\n"
    }
    return text + String(repeating: ".", count: size - text.utf8.count)
  }
}
