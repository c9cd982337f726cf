import TestSupport
import Testing

/// The clipboard is read only while the window is active.
@Suite(.keepsPictures, .tags(.readsOnlyWhileActive)) struct CaptureWhileActiveTests {
  @Test(arguments: VirtualDesktop.Kind.all)
  func `the clipboard is read once per activation, and never while the window is inactive or hidden`(
    _ kind: VirtualDesktop.Kind
  ) async throws {
    try await Scene.run(on: kind) { scene in
      try await scene.capture("before")
      let other = try await scene.openOtherWindow()
      let unseen = try await ClipboardOwner.start(offering: .text("unseen"), on: scene.desktop)
      let kept = try await ClipboardOwner.start(offering: .text("kept"), on: scene.desktop)
      #expect(try await unseen.program.waitForExit() == .code(0))
      // The owner received no request, not even for its formats.
      #expect(unseen.requests == [])
      for round in 1...3 {
        try await scene.app.window.activate()
        try await waitUntil("the clipboard read") { kept.contentRequests.count >= round }
        try await scene.expectNewest("kept")
        try await other.activate()
        try await scene.waitUntilInactive()
      }
      try await scene.app.window.activate()
      let shown = try await scene.screenshot()
      try await scene.app.window.minimise()
      try await waitUntil("another window active") { try await !scene.app.window.isActive() }
      let hidden = try await ClipboardOwner.start(offering: .text("hidden"), on: scene.desktop)
      let last = try await ClipboardOwner.start(offering: .text("last"), on: scene.desktop)
      #expect(try await hidden.program.waitForExit() == .code(0))
      #expect(hidden.contentRequests == [] && last.contentRequests == [])
      try await scene.app.window.activate()
      try await scene.expectNewest("last")
      try await scene.expectNewRow(since: shown)
      try await scene.capture("after")
      #expect((3...4).contains(kept.contentRequests.count) && last.contentRequests.count == 1)

      try await scene.desktop.press("Home", "Return")
      try await scene.expectClipboard("after")
      try await scene.app.window.close()
      try await waitUntil("the window hidden") { try await !scene.app.window.isVisible() }
      let unread = try await ClipboardOwner.start(offering: .text("unread"), on: scene.desktop)
      #expect(try await scene.app.program.waitForExit() == .code(0))
      #expect(unread.contentRequests == [])
      #expect(try await scene.history.texts() == ["after", "last", "kept", "before"])
    }
  }

  /// GTK reports a window as active while one of its menus has the focus.
  ///
  /// F10 is left out on sway, because its menu moves there and GDK prints a warning.
  @Test(arguments: [(VirtualDesktop.Kind.x11, "F10"), (.x11, "Menu"), (.wayland, "Menu")])
  func `the clipboard is not read while another window is active, even if a menu is open`(
    _ kind: VirtualDesktop.Kind, menu key: String
  ) async throws {
    try await Scene.run(on: kind, with: ["old", "new"]) { scene in
      try await scene.capture("before")
      let other = try await scene.openOtherWindow()
      try await scene.app.window.activate()
      try await waitUntil("the window active") { try await scene.app.window.showsReading() }
      try await scene.openPopup(key)
      try await other.activate()
      try await scene.waitUntilInactive()
      let unseen = try await ClipboardOwner.start(offering: .text("unseen"), on: scene.desktop)
      try await scene.replace(unseen, with: "last")
      #expect(unseen.requests == [])

      // Reactivating the window reads the clipboard, even if the menu is still open.
      try await scene.app.window.activate()
      try await scene.expectNewest("last")
      #expect(try await scene.history.texts() == ["last", "before", "new", "old"])
    }
  }

  /// On sway, each press takes the focus from the window for a moment, which ends the paste.
  @Test func `Escape ends a paste that waits for a slow selection owner, and otherwise hides the window`()
    async throws
  {
    try await Scene.run(with: ["one"], accessibility: true) { scene in
      // The shortcut keeps the program running.
      try scene.desktop.home.set(["shortcut": "'<Control><Alt>j'"])
      let reader = try await ScreenReader.listening(on: scene.desktop)
      let owner = try await ClipboardOwner.start(behaving: "NoAnswer", on: scene.desktop)
      try await waitUntil("the request") { owner.contentRequests.count == 1 }
      try await scene.desktop.press("ctrl+v")
      try await waitUntil("the request of the paste") { owner.contentRequests.count >= 2 }
      try await scene.desktop.press("Escape")
      try await reader.waitToHear("Nothing was added")
      try await scene.capture("next")
      #expect(try await scene.history.texts() == ["next", "one"])
      try await scene.desktop.press("Escape")
      try await waitUntil("the window hidden") { try await scene.shownWindow() == nil }
    }
  }
}

extension Scene {
  /// Copies `text`, and waits until `owner` has received all its requests and exits.
  func replace(_ owner: ClipboardOwner, with text: String) async throws {
    try await desktop.copy(text)
    #expect(try await owner.program.waitForExit() == .code(0))
  }
}
