import TestSupport
import Testing

/// The icon in the tray of a real panel.
@Suite(.keepsPictures) struct TrayTests {
  @Test func `the tray menu pauses recording, shows Preferences and the history, and quits the program`()
    async throws
  {
    try await Scene.run { scene in
      let panel = try await TrayPanel.start(on: scene.desktop)
      try await panel.waitForIcon()
      try scene.desktop.home.set(["shortcut": "''", "tray-icon": "false"])
      try await panel.waitForNoIcon()
      try scene.desktop.home.set(["shortcut": "''", "tray-icon": "true"])
      try await panel.waitForIcon()
      // The icon keeps the program running.
      try await scene.app.window.close()
      try await waitUntil("the window hidden") { try await scene.shownWindow() == nil }
      try await panel.chooseFromMenu(entry: 2)
      try await panel.chooseFromMenu(entry: 3)
      try await scene.waitForDialog(titled: "Preferences")
      try await scene.desktop.press("Escape")
      try await panel.chooseFromMenu(entry: 1)
      try await waitUntil("the window active") { try await CopyPasta.readyWindow(on: scene.desktop) != nil }
      try await waitUntil("paused") { try await !scene.app.window.showsReading() }
      let paused = try await ClipboardOwner.start(offering: .text("paused"), on: scene.desktop)
      try await scene.resume()
      try await waitUntil("the text recognised") { paused.contentRequests.count == 1 }
      try await scene.capture("after")
      #expect(try await scene.history.texts() == ["after"])
      try await panel.chooseFromMenu(entry: 4)
      #expect(try await scene.app.program.waitForExit() == .code(0))
      try await panel.waitForNoIcon()
    }
  }
}
