import TestSupport
import Testing

/// The icon in the tray of a real panel.
@Suite struct TrayTests {
  /// On GNOME, the first click of a double click opens a menu, which takes the focus from the window.
  @Test(arguments: ["false", "true"])
  func `a tray click right after a focus loss hides the window`(_ hidesOnFocusLoss: String) async throws {
    try await Scene.run(with: ["kept"]) { scene in
      let panel = try await TrayPanel.start(on: scene.desktop)
      try await panel.waitForIcon()
      let other = try await scene.desktop.openOtherWindow()
      try scene.desktop.home.set(["hide-on-focus-loss": hidesOnFocusLoss, "shortcut": "''"])
      // On a slow machine more time may pass between focus loss and click than CopyPasta allows.
      for _ in 1...10 {
        #expect(try await scene.desktop.copypasta().exit == .code(0))
        try await scene.waitForWindow()
        try await other.activate()
        try await panel.clickIcon()
        try await Task.sleep(for: .milliseconds(500))
        if try await scene.desktop.copyPastaWindowCount() == 0 { return }
      }
      Issue.record("the click brought the window back each time")
    }
  }

  @Test func `the tray menu pauses recording, shows the history and Preferences, and quits the program`()
    async throws
  {
    try await Scene.run { scene in
      let panel = try await scene.hideIntoTray()
      try await panel.chooseFromMenu(entry: 2)
      try await panel.chooseFromMenu(entry: 1)
      try await scene.waitForWindow()
      try await waitUntil("paused") { try await !scene.app.window.showsReading() }
      _ = try await ClipboardOwner.start(offering: .text("unseen"), on: scene.desktop)
      try await scene.resume()
      try await scene.expectNewest("unseen")
      try await panel.chooseFromMenu(entry: 3)
      try await scene.waitForDialog(titled: "Preferences")
      try await panel.chooseFromMenu(entry: 4)
      #expect(try await scene.app.program.waitForExit() == .code(0))
      try await panel.waitForNoIcon()
    }
  }

  @Test func `closing the window ends the program once the panel is gone`() async throws {
    try await Scene.run(mostlyWaits: true) { scene in
      let panel = try await scene.hideIntoTray()
      try await panel.stop()
      // Repeat, because the program waits several seconds for the panel to restart.
      try await waitUntil("the program exited") {
        let launch = try scene.desktop.start([CopyPasta.programPath])
        // If the program exits just before this launch, the launch shows a window of its own and keeps running.
        try await waitUntil("an end") { !launch.isRunning || !scene.app.program.isRunning }
        guard scene.app.program.isRunning else { return true }
        #expect(launch.exit == .code(0))
        try await scene.waitForWindow()
        try await scene.desktop.window(ofClass: CopyPasta.applicationID)?.close()
        try await scene.waitForNoWindow()
        return try await scene.app.program.waitForExit(within: .seconds(1)) != nil
      }
      #expect(scene.app.program.exit == .code(0))
    }
  }
}

extension Scene {
  /// Closes the window once the panel shows the icon, which keeps the program running.
  fileprivate func hideIntoTray() async throws -> TrayPanel {
    let panel = try await TrayPanel.start(on: desktop)
    try await panel.waitForIcon()
    try await app.window.close()
    try await waitForNoWindow()
    #expect(app.program.isRunning)
    return panel
  }

  fileprivate func waitForNoWindow() async throws {
    try await waitUntil("the window hidden") {
      try await desktop.window(ofClass: CopyPasta.applicationID) == nil
    }
  }

  fileprivate func waitForWindow() async throws {
    try await waitUntil("the window active") {
      try await CopyPasta.readyWindow(on: desktop) != nil
    }
  }
}
