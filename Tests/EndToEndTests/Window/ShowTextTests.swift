import TestSupport
import Testing

/// The window that shows the full text of a row.
@Suite(.keepsPictures) struct ShowTextTests {
  @Test(.tags(.showsWhatIsCopied), arguments: VirtualDesktop.Kind.all)
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

  /// Only the active window announces its messages.
  @Test func `the full text window exposes its name and length, and announces that its row is gone`()
    async throws
  {
    try await Scene.run(with: ["private words"], accessibility: true) { scene in
      let reader = try await ScreenReader.listening(on: scene.desktop)
      let window = try await scene.openDialog("alt+Return", titled: "Full Text")
      try await waitUntil("the text in focus") { try await reader.tree().focused?.name == "Full Text" }
      let focused = try #require(try await reader.tree().focused)
      #expect(focused.description.hasSuffix(" · 13 characters"), "\(focused.description)")
      #expect(try await window.title() == "Full Text")
      let names = try await reader.tree().all.map(\.name)
      #expect(names.contains("Copy"))
      try scene.history.change("DELETE FROM clip")
      try await scene.desktop.press("alt+c")
      try await reader.waitToHear("This item is no longer in the history.")
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
