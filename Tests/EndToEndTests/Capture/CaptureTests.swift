import TestSupport
import Testing

/// Every copy is recorded exactly once.
@Suite struct CaptureTests {
  @Test func `each copy becomes a row, in order, and copying the newest text again adds no row`() async throws
  {
    try await Scene.run { scene in
      let texts = (1...2 * Scene.rounds).map { "copy \($0)" }
      for text in texts { try await scene.capture(text) }
      let again = try await ClipboardOwner.start(offering: .text(texts[texts.count - 1]), on: scene.desktop)
      try await waitUntil("the text read again") { !again.contentRequests.isEmpty }
      try await scene.capture("after")
      #expect(try await scene.history.texts() == ["after"] + texts.reversed())
    }
  }
}
