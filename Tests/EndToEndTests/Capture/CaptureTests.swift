import TestSupport
import Testing

/// What is recorded, and how often.
@Suite struct CaptureTests {
  @Test func `what is copied while the window is active is recorded, newest first`() async throws {
    try await Scene.run { scene in
      for text in ["first", "second", "third"] { try await scene.capture(text) }
      #expect(try await scene.history.texts() == ["third", "second", "first"])
    }
  }

  @Test func `what is on the clipboard at the start is recorded`() async throws {
    try await VirtualDesktop.with { desktop in
      try await XClip.copy("before the start", on: desktop)
      let scene = Scene(desktop: desktop, app: try await CopyPasta.launch(on: desktop))
      try await scene.expectNewest("before the start")
      try await scene.end()
    }
  }

  @Test func `fifty copies are fifty rows in order`() async throws {
    try await Scene.run { scene in
      let texts = (1...50).map { "copy \($0)" }
      for text in texts { try await scene.capture(text) }
      #expect(try await scene.history.texts() == texts.reversed())
    }
  }

  @Test func `A, then B, then A is three rows`() async throws {
    try await Scene.run { scene in
      for text in ["A", "B", "A"] { try await scene.capture(text) }
      #expect(try await scene.history.texts() == ["A", "B", "A"])
    }
  }

  @Test func `the same text twice is one row`() async throws {
    try await Scene.run { scene in
      try await scene.capture("twice")
      let again = try await ClipboardOwner.start(offering: .text("twice"), on: scene.desktop)
      try await waitUntil("the text read again") { !again.contentRequests.isEmpty }
      try await scene.capture("after")
      #expect(try await scene.history.texts() == ["after", "twice"])
    }
  }

  @Test func `the same clipboard is not recorded again after a relaunch`() async throws {
    try await Scene.run { scene in
      let owner = try await ClipboardOwner.start(offering: .text("kept"), on: scene.desktop)
      try await scene.expectNewest("kept")
      try await scene.end()
      let again = try await scene.relaunch()
      try await waitUntil("the text read again") { owner.contentRequests.count >= 2 }
      try await again.capture("after")
      #expect(try await again.history.texts() == ["after", "kept"])
      try await again.end()
    }
  }

  @Test func `a deleted text is not recorded again from the same clipboard`() async throws {
    try await Scene.run { scene in
      let owner = try await ClipboardOwner.start(offering: .text("deleted"), on: scene.desktop)
      try await scene.expectNewest("deleted")
      try await scene.deleteFirstRow()
      // Becoming active reads the clipboard anew.
      try await scene.openOtherWindow()
      try await scene.app.window.activate()
      try await waitUntil("the text read again") { owner.contentRequests.count >= 2 }
      try await scene.capture("after")
      #expect(try await scene.history.texts() == ["after"])
    }
  }

  @Test func `a deleted text is not recorded again after a relaunch`() async throws {
    try await Scene.run { scene in
      let owner = try await ClipboardOwner.start(offering: .text("deleted"), on: scene.desktop)
      try await scene.expectNewest("deleted")
      try await scene.deleteFirstRow()
      try await scene.end()
      let again = try await scene.relaunch()
      try await waitUntil("the text read again") { owner.contentRequests.count >= 2 }
      try await again.capture("after")
      #expect(try await again.history.texts() == ["after"])
      try await again.end()
    }
  }

  @Test func `copying a row out of the history adds no row`() async throws {
    try await Scene.run(with: ["old", "new"]) { scene in
      try await scene.desktop.press("Home", "Down", "Return")
      try await scene.expectClipboard("old")
      try await scene.openOtherWindow()
      try await scene.app.window.activate()
      try await scene.capture("after")
      #expect(try await scene.history.texts() == ["after", "new", "old"])
    }
  }

  @Test func `a copied row is not recorded when another program offers its text again`() async throws {
    try await Scene.run(with: ["old", "new"]) { scene in
      try await scene.desktop.press("Home", "Down", "Return")
      try await scene.expectClipboard("old")
      let owner = try await ClipboardOwner.start(offering: .text("old"), on: scene.desktop)
      try await waitUntil("the text read") { !owner.contentRequests.isEmpty }
      try await scene.capture("after")
      #expect(try await scene.history.texts() == ["after", "new", "old"])
    }
  }
}

extension Scene {
  /// Deletes the only row, once it is drawn, by its key.
  fileprivate func deleteFirstRow() async throws {
    try await focusNewestRow()
    try await desktop.press("Delete")
    try await waitUntil("the row deleted") { try await history.count() == 0 }
  }
}
