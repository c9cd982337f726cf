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

  @Test(arguments: [false, true])
  func `a relaunch does not record the same clipboard text again, even if its row was deleted`(
    isDeleted: Bool
  ) async throws {
    try await Scene.run { scene in
      let owner = try await ClipboardOwner.start(offering: .text("kept"), on: scene.desktop)
      try await scene.expectNewest("kept")
      if isDeleted { try await scene.deleteFirstRow() }
      try await scene.end()
      let again = try await scene.relaunch()
      try await waitUntil("the text read again") { owner.contentRequests.count >= 2 }
      try await again.capture("after")
      #expect(try await again.history.texts() == (isDeleted ? ["after"] : ["after", "kept"]))
      try await again.end()
    }
  }

  @Test func `copying a row adds no row, even if another program then offers the same text`()
    async throws
  {
    try await Scene.run(with: ["old", "new"]) { scene in
      try await scene.desktop.press("Home", "Down", "Return")
      try await scene.expectClipboard("old")
      try await scene.openOtherWindow()
      try await scene.app.window.activate()
      let owner = try await ClipboardOwner.start(offering: .text("old"), on: scene.desktop)
      try await waitUntil("the text read") { !owner.contentRequests.isEmpty }
      try await scene.capture("after")
      #expect(try await scene.history.texts() == ["after", "new", "old"])
    }
  }
}

extension Scene {
  /// Deletes the only row with the Delete key, once the row is drawn.
  fileprivate func deleteFirstRow() async throws {
    try await focusNewestRow()
    try await desktop.press("Delete")
    try await waitUntil("the row deleted") { try await history.count() == 0 }
  }
}
