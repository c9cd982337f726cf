import Foundation
import TestSupport
import Testing

/// The window as a popup: a key shows and focuses the window, and the same key hides it again.
@Suite struct PopupTests {
  @Test(
    .enabled(if: Requirement.fileMonitors.isMet, "\(Requirement.fileMonitors)"),
    arguments: VirtualDesktop.Kind.all)
  func `the toggle key shows and hides one window, and a copy hides it if hide-after-copying is set`(
    _ kind: VirtualDesktop.Kind
  ) async throws {
    try await Scene.run(on: kind, with: ["old", "new"]) { scene in
      let other = try await scene.hideBehindOtherWindow()
      try await scene.bindToggleKey()
      for round in 1...Scene.rounds {
        try await scene.toggleByKey()
        try await scene.waitUntilActive("round \(round)")
        try await scene.desktop.expectOneWindow()
        if round == 1 {
          try await scene.desktop.press("Down", "Return")
          try await scene.expectClipboard("old")
        }
        try await scene.toggleByKey()
        try await waitUntil("the other window active, round \(round)") { try await other.isActive() }
        #expect(try await scene.shownWindow() == nil)
      }

      try scene.desktop.home.set(["hide-after-copying": "true", "shortcut": "''"])
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

  @Test func `after a copy in the popup, a notice offers to hide the window after every copy`() async throws {
    try await Scene.run(with: ["old", "new"], accessibility: true) { scene in
      let reader = try await ScreenReader.listening(on: scene.desktop)
      func isOffered() async throws -> Bool {
        try await reader.tree().all.contains { $0.name == "Always Hide" }
      }
      // A normal launch, not a toggle, has shown this window, so a copy shows no notice.
      try await scene.desktop.press("Home", "Return")
      try await scene.expectClipboard("new")
      try await waitUntil("the announcement of the copy") { reader.heard.contains("Copied") }
      #expect(try await !isOffered())
      _ = try await scene.hideBehindOtherWindow()
      try await scene.toggle()
      try await scene.waitUntilActive()
      try await scene.desktop.press("Down", "Return")
      try await scene.expectClipboard("old")
      try await waitUntil("the offer") { try await isOffered() }
      try await reader.press("Always Hide")
      try await waitUntil("the window hidden") { try await scene.shownWindow() == nil }
      #expect(try await eventually { try scene.keyFile().contains("hide-after-copying=true") })
    }
  }

  @Test(
    .enabled(if: Requirement.fileMonitors.isMet, "\(Requirement.fileMonitors)"),
    arguments: VirtualDesktop.Kind.all)
  func `losing the focus hides the window and its menu if hide-on-focus-loss is set`(
    _ kind: VirtualDesktop.Kind
  )
    async throws
  {
    try await Scene.run(on: kind, with: ["text"]) { scene in
      let other = try await scene.openOtherWindow()
      try await scene.app.window.activate()
      try await scene.waitUntilActive()
      try scene.desktop.home.set(["hide-on-focus-loss": "true", "shortcut": "''"])
      // The program's own menus and dialogs do not count as focus loss, so Enter still copies afterwards.
      try await scene.desktop.press("Menu")
      _ = try await scene.settledScreenshot(unchangedFor: .milliseconds(400))
      try await scene.desktop.press("Escape")
      _ = try await scene.settledScreenshot(unchangedFor: .milliseconds(400))
      try await scene.desktop.press("ctrl+comma")
      try await waitUntil("the dialog active") { try await scene.activeTitle() == "Preferences" }
      _ = try await scene.settledScreenshot(unchangedFor: .milliseconds(400))
      try await scene.desktop.press("Escape")
      try await scene.waitUntilActive()
      try await scene.desktop.press("Return")
      try await scene.expectClipboard("text")
      // GTK reports a window as active while one of its menus has the focus.
      if [.x11, .wayland].contains(kind) { try await scene.openPopup("Menu") }
      try await other.activate()
      try await waitUntil("the window gone") { try await scene.shownWindow() == nil }
      try await scene.expectClipboard("text")
      guard kind == .x11 else { return }
      try await scene.toggle()
      try await scene.waitUntilActive()
      #expect(try await scene.desktop.popups().isEmpty)
    }
  }

  /// “Clear History?” is left out on Wayland, where GDK warns about the menu that opens it.
  @Test(
    .enabled(if: Requirement.fileMonitors.isMet, "\(Requirement.fileMonitors)"),
    arguments: [(.x11, "Clear History?", false)]
      + VirtualDesktop.Kind.everywhere.flatMap { [($0, "Preferences", false), ($0, "Preferences", true)] })
  func `leaving for another program hides the window, whichever window had the focus`(
    _ kind: VirtualDesktop.Kind, _ dialog: String, isDialogClosedLater: Bool
  ) async throws {
    try await Scene.run(on: kind, with: ["text"]) { scene in
      let other = try await scene.openOtherWindow()
      try await scene.app.window.activate()
      try await scene.waitUntilActive()
      try scene.desktop.home.set([
        "hide-on-focus-loss": isDialogClosedLater ? "false" : "true", "shortcut": "''",
      ])
      try await scene.open(dialog)
      try await other.activate()
      if isDialogClosedLater {
        try await waitUntil("the other program active") { try await scene.activeTitle() != "Preferences" }
        try scene.desktop.home.set([
          "hide-on-focus-loss": "true", "start-at-login": "true", "shortcut": "''",
        ])
        // The program writes this file when it has read the settings.
        let file = scene.desktop.home.configHome + "/autostart/org.copypasta.CopyPasta.desktop"
        try await waitUntil("the settings read") { FileManager.default.fileExists(atPath: file) }
        try await scene.desktop.window(titled: "Preferences")?.close()
      }
      try await waitUntil("the window gone") { try await scene.shownWindow() == nil }
    }
  }
}
