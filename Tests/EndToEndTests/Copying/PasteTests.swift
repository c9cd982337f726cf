import TestSupport
import Testing

/// Ctrl+V records the clipboard's text at the user's request.
@Suite struct PasteTests {
  @Test func `a paste during a pause is read once; a newer copy is not read`() async throws {
    try await Scene.run(with: ["one"]) { scene in
      try await scene.pause()
      let edge = try await scene.watchEdge()
      let stalled = try await ClipboardOwner.start(behaving: "Mute", on: scene.desktop)
      try await scene.desktop.press("shift+Insert", "shift+Insert")
      try await waitUntil("the request") { !stalled.requests.isEmpty }
      let unseen = try await ClipboardOwner.start(offering: .text("a password"), on: scene.desktop)
      try await scene.expectNotice(at: edge)
      try await scene.end()
      #expect(stalled.requests == ["TARGETS", "lost"] && unseen.requests == [])
      #expect(try await scene.history.texts() == ["one"])
    }
  }
}
