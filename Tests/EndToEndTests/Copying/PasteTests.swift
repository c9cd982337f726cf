import TestSupport
import Testing

/// Ctrl+V records the clipboard's text at the user's request.
@Suite struct PasteTests {
  @Test func `pasting restores a deleted text and focuses its row`() async throws {
    try await Scene.run { scene in
      try await scene.capture("first")
      try await scene.capture("second")
      for key in ["ctrl+v", "shift+Insert"] {
        try await scene.desktop.press("Home", "Delete")
        #expect(try await eventually { try await scene.history.texts() == ["first"] })
        try await scene.desktop.press(key)
        try await scene.expectNewest("second")
        try await scene.expectFocusedRowCopied("second")
        #expect(try await scene.history.texts() == ["second", "first"])
      }
    }
  }

  @Test func `a paste during a pause is read once; a newer copy is not read`() async throws {
    try await Scene.run(with: ["one"]) { scene in
      try await scene.pause()
      let edge = try await scene.watchEdge()
      let stalled = try await ClipboardOwner.start(behaving: "Mute", on: scene.desktop)
      try await scene.desktop.press("ctrl+v", "ctrl+v")
      try await waitUntil("the request") { !stalled.requests.isEmpty }
      let unseen = try await ClipboardOwner.start(offering: .text("a password"), on: scene.desktop)
      try await scene.expectNotice(at: edge)
      try await scene.end()
      #expect(stalled.requests == ["TARGETS", "lost"] && unseen.requests == [])
      #expect(try await scene.history.texts() == ["one"])
    }
  }
}
