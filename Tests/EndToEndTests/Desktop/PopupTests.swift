import TestSupport
import Testing

/// The window as a popup: a key shows and focuses the window, and the same key hides it again.
@Suite(.keepsPictures, .tags(.popsUp)) struct PopupTests {
  @Test(arguments: VirtualDesktop.Kind.all)
  func `the toggle key shows and hides one window, which a copy hides, too`(_ kind: VirtualDesktop.Kind)
    async throws
  {
    try await Scene.run(on: kind, with: ["old", "new"]) { scene in
      let other = try await scene.hideBehindOtherWindow()
      try await scene.bindToggleKey()
      for round in 1...Scene.rounds {
        try await scene.toggleByKey()
        try await scene.waitUntilActive("round \(round)")
        try await scene.desktop.expectOneWindow()
        try await scene.toggleByKey()
        try await waitUntil("the other window active, round \(round)") { try await other.isActive() }
        #expect(try await scene.shownWindow() == nil)
      }
      for (isFullText, text) in [(false, "new"), (true, "old")] {
        try await scene.toggle()
        try await scene.waitUntilActive("for “\(text)”")
        if isFullText {
          try await scene.desktop.press("Home", "Down")
          try await scene.openDialog("alt+Return", titled: "Full Text")
          try await scene.desktop.press("alt+c")
        } else {
          try await scene.desktop.press("Home", "Return")
        }
        try await waitUntil("the other window active") { try await other.isActive() }
        #expect(try await scene.shownWindow() == nil)
        try await waitUntil("the full text window closed") {
          try await scene.desktop.window(titled: "Full Text") == nil
        }
        try await scene.expectClipboard(text)
      }
    }
  }

  @Test(.tags(.hidesPopups), arguments: VirtualDesktop.Kind.all)
  func `switching to another program hides the popup with its menu or dialog`(_ kind: VirtualDesktop.Kind)
    async throws
  {
    try await Scene.run(on: kind, with: ["text"]) { scene in
      let other = try await scene.hideBehindOtherWindow()
      try await scene.toggle()
      try await scene.waitUntilActive()
      // On Wayland a window that is shown again has a new id.
      let window = try #require(try await scene.shownWindow())
      // The program's own menus and dialogs do not count as another program.
      try await scene.desktop.press("Menu")
      _ = try await scene.settledScreenshot(of: window, unchangedFor: .milliseconds(400))
      try await scene.desktop.press("Escape")
      _ = try await scene.settledScreenshot(of: window, unchangedFor: .milliseconds(400))
      try await scene.desktop.press("ctrl+comma")
      try await waitUntil("the dialog active") { try await scene.activeTitle() == "Preferences" }
      _ = try await scene.settledScreenshot(of: window, unchangedFor: .milliseconds(400))
      try await scene.desktop.press("Escape")
      try await scene.waitUntilActive()
      // GTK reports a window as active while one of its menus has the focus.
      if [.x11, .wayland].contains(kind) { try await scene.openPopup("Menu", over: window) }
      try await other.activate()
      try await waitUntil("the window gone") { try await scene.shownWindow() == nil }
      guard VirtualDesktop.Kind.everywhere.contains(kind) else { return }
      try await scene.toggle()
      try await scene.waitUntilActive()
      #expect(try await scene.desktop.popups().isEmpty)
      try await scene.openDialog("ctrl+comma", titled: "Preferences")
      try await other.activate()
      try await waitUntil("the window gone") { try await scene.shownWindow() == nil }
      try await waitUntil("Preferences closed") {
        try await scene.desktop.window(titled: "Preferences") == nil
      }
    }
  }
}
