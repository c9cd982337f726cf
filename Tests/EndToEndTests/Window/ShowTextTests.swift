import TestSupport
import Testing

/// The window that shows the full text of a row.
@Suite(.keepsPictures) struct ShowTextTests {
  @Test(arguments: VirtualDesktop.Kind.all)
  func `the full text window copies a selection or everything, and Escape returns to the row`(
    _ kind: VirtualDesktop.Kind
  ) async throws {
    let long = String(repeating: "0\n", count: 30_000)
    try await Scene.run(on: kind, with: [long, "one two", "newest"]) { scene in
      try await scene.desktop.press("Home", "Down")
      try await scene.openDialog("alt+Return", titled: "Full Text")
      try await scene.desktop.press("ctrl+Home", "ctrl+shift+Right", "ctrl+c")
      try await scene.expectClipboard("one")
      try await scene.closeText()
      // Offer the copied part again, as a clipboard manager would. A part of a text in the history is not recorded.
      try await scene.desktop.copy("one")
      try await scene.record("last")
      #expect(try await scene.history.texts() == ["last", "newest", "one two", long])
      try await scene.expectFocusedRowCopied("one two")

      // The clipboard is not read while the full text window is active.
      try await scene.openDialog("alt+Return", titled: "Full Text")
      try await scene.waitUntilInactive()
      let unseen = try await ClipboardOwner.start(offering: .text("unseen"), on: scene.desktop)
      try await scene.replace(unseen, with: "after")
      #expect(unseen.requests == [])
      try await scene.closeText()
      try await scene.expectNewest("after")

      // This text has more lines than the window shows.
      try await scene.desktop.press("End")
      try await scene.openDialog("alt+Return", titled: "Full Text")
      try await scene.desktop.press("alt+c")
      try await scene.expectClipboard(long)
      #expect(try await scene.history.texts() == ["after", "last", "newest", "one two", long])
    }
  }

  @Test func `a selection is copied byte for byte, even if the text is displayed differently`() async throws {
    let texts = [
      String(repeating: "0123456789", count: 500), "a\tb\u{200E}c\r\nd\u{1}\n",
      String(repeating: "\t", count: 3000),
    ]
    try await Scene.run(with: texts) { scene in
      try await scene.parkMouse()
      // Open the newest text from its menu, and the others with Alt+Enter.
      try await scene.desktop.press("Home", "Menu")
      try await scene.waitForPopup()
      for (text, keys) in zip(texts.reversed(), ["v", "alt+Return", "alt+Return"]) {
        try await scene.openDialog(keys, titled: "Full Text")
        try await scene.desktop.press("ctrl+a", "ctrl+c")
        try await scene.expectClipboard(text)
        try await scene.closeText()
        try await scene.desktop.press("Down")
      }
    }
  }

  @Test func `the full text window exposes its name and length to a screen reader`() async throws {
    try await Scene.run(with: ["private words"], accessibility: true) { scene in
      let reader = ScreenReader(desktop: scene.desktop)
      let window = try await scene.openDialog("alt+Return", titled: "Full Text")
      try await waitUntil("the text in focus") { try await reader.tree().focused?.name == "Full Text" }
      let focused = try #require(try await reader.tree().focused)
      #expect(focused.description.hasSuffix(" · 13 characters"), "\(focused.description)")
      #expect(try await window.title() == "Full Text")
      let names = try await reader.tree().all.map(\.name)
      #expect(names.contains("Copy"))
    }
  }

  /// Only the active window announces its messages.
  @Test func `copying a text whose row is gone shows an error in the full text window`() async throws {
    try await Scene.run(with: ["one", "two"], accessibility: true) { scene in
      let reader = try await ScreenReader.listening(on: scene.desktop)
      try await scene.openDialog("alt+Return", titled: "Full Text")
      try scene.history.change("DELETE FROM clip")
      try await scene.desktop.press("alt+c")
      try await waitUntil("the announcement") {
        reader.heard.contains { $0.contains("This item is no longer in the history.") }
      }
    }
  }
}

extension Scene {
  fileprivate func closeText() async throws {
    try await desktop.press("Escape")
    try await waitUntil("the main window again") { try await app.window.isActive() }
    #expect(try await desktop.window(titled: "Full Text") == nil)
  }
}
