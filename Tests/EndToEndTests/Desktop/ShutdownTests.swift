import Foundation
import TestSupport
import Testing

/// How the program exits, and what remains on the clipboard.
@Suite(.keepsPictures, .tags(.outlivesTheWindow)) struct ShutdownTests {
  /// The ways in which a user closes the window.
  enum CloseAction: CaseIterable { case closeButton, escape, altF4 }

  @Test func `a copied text can be pasted after closing, and the program ends once another program copies`()
    async throws
  {
    let text = "pasted\tafter é 🍝\n"
    try await VirtualDesktop.with { desktop in
      try await Scene.fillHistory(with: [text, "newest"], on: desktop)
      for action in CloseAction.allCases {
        let scene = Scene(desktop: desktop, app: try await CopyPasta.launch(on: desktop))
        try await scene.waitForFirstRow()
        try await desktop.press("End", "Return")
        try await scene.expectClipboard(text)
        try await scene.closeWindow(action)
        try await waitUntil("the window gone") { try await !scene.app.window.isVisible() }
        #expect(try await desktop.paste() == Array(text.utf8))
        #expect(scene.app.program.isRunning)
        // The process is no longer needed once another program copies.
        try await desktop.copy("another")
        #expect(try await scene.app.program.waitForExit() == .code(0))
        #expect(try await scene.history.texts().count { $0 == text } == 1)
        try await scene.end()
      }
      // Without its connection the program no longer offers a text, so nothing keeps it running.
      let last = Scene(desktop: desktop, app: try await CopyPasta.launch(on: desktop))
      try await last.expectNewest("another")
      try await last.waitForFirstRow()
      try await desktop.press("End", "Return")
      try await last.expectClipboard(text)
      try await last.dropOwnersConnection()
      try await last.closeWindow(.closeButton)
      #expect(try await last.app.program.waitForExit() == .code(0))
      try await last.end()
    }
  }

  /// This is X11 only, because on Wayland the program could not tell whether the text is complete.
  @Test func `a text that is still being transferred when the window closes is recorded`() async throws {
    try await Scene.run { scene in
      let long = try await ClipboardOwner.start(behaving: "IncrLong", on: scene.desktop)
      try await long.program.waitUntil("the transfer started") { $0.contains("piece") }
      try await scene.closeWindow(.closeButton)
      #expect(try await scene.app.program.waitForExit() == .code(0))
      #expect(try await scene.history.texts() == [String(repeating: "abc", count: 20_000)])
    }
  }

  @Test func `a text that waits for a lock is recorded after the window has closed`() async throws {
    try await Scene.run(with: ["row"], mostlyWaits: true) { scene in
      let lock = try await scene.lockHistory(whileCopying: "waits")
      try await scene.closeWindow(.escape)
      // Quitting waits for less than that.
      #expect(try await scene.app.program.waitForExit(within: .seconds(6)) == nil)
      lock.close()
      #expect(try await scene.app.program.waitForExit() == .code(0))
      #expect(try await scene.history.texts() == ["waits", "row"])
    }
  }

  /// While a text waits for a lock, ending takes its longest.
  @Test(.tags(.endsInTime))
  func `--quit returns once the program has ended, and a launch meanwhile has its token and the shortcut`()
    async throws
  {
    try await VirtualDesktop.with { desktop in
      try desktop.home.set(["shortcut": "'<Control><Super>v'"])
      try await Scene.fillHistory(with: ["row"], on: desktop)
      for isLaunchedMeanwhile in [false, true] {
        let scene = Scene(desktop: desktop, app: try await CopyPasta.launch(on: desktop))
        try await scene.waitForFirstRow()
        let lock = try await scene.lockHistory(whileCopying: "waits")
        let listener = try await desktop.listenForEnd(ofLaunch: "launch-1")
        let start = ContinuousClock.now
        let quit = try desktop.start([CopyPasta.programPath, "--quit"])
        var launch: Program?
        if isLaunchedMeanwhile {
          try await waitUntil("the window hidden") { try await desktop.copyPastaWindowCount() == 0 }
          launch = try desktop.start(
            [CopyPasta.programPath], environment: ["DESKTOP_STARTUP_ID": "launch-1_TIME1"])
        }
        #expect(try await quit.waitForExit() == .code(0))
        #expect(.now - start < .seconds(3))
        lock.close()
        if let launch {
          try await waitUntil("the successor's window") {
            try await CopyPasta.readyWindow(on: desktop) != nil
          }
          try await listener.waitUntil("the end of the launch") { $0 == ["ready", "removed"] }
          // The time limit of the end must not apply to the successor.
          try await Task.sleep(until: start + .seconds(4))
          try await waitUntil("the window hidden by the shortcut") {
            try await desktop.press("ctrl+super+v")
            return try await eventually(within: .seconds(1)) {
              try await desktop.copyPastaWindowCount() == 0
            }
          }
          // A launch on a slow machine may come after the end, and is then the successor itself.
          let isLate = launch.isRunning
          #expect(try await (isLate ? launch : scene.app.program).stop() == .code(0))
          #expect(try await (isLate ? scene.app.program : launch).waitForExit() == .code(0))
        }
        #expect(!scene.app.program.isRunning)
        if launch == nil {
          #expect(try await scene.history.texts() == ["row"])
          // It also succeeds if no instance runs.
          let again = try await desktop.copypasta("--quit")
          #expect(again.exit == .code(0) && again.errors == "")
        }
        #expect(scene.app.errors.contains("not recorded. Another app is using the history file."))
      }
    }
  }

  /// The server answers no other program meanwhile: neither GDK, which hides a window, nor the hand-over of a text.
  @Test(.tags(.endsInTime), arguments: [true, false])
  func `the program ends in time while another program has grabbed the X server`(isShown: Bool) async throws {
    try await Scene.run(with: ["row"], mostlyWaits: true) { scene in
      if isShown {
        // GDK would already hang in a frame that is still to be drawn.
        try await Task.sleep(for: .seconds(1))
      } else {
        // The text on the clipboard keeps the program running.
        try await scene.desktop.press("Home", "Return")
        try await scene.expectClipboard("row")
        try await scene.closeWindow(.closeButton)
        try await waitUntil("the window gone") { try await !scene.app.window.isVisible() }
      }
      let grab = try scene.desktop.start(Fixture.python("grab.py", ["server"]))
      try await grab.waitUntil("the grab") { $0 == ["server"] }
      let start = ContinuousClock.now
      scene.app.program.signal(SIGTERM)
      #expect(try await scene.app.program.waitForExit() == .code(0))
      // The program waits for three seconds, and a busy machine for a while longer.
      #expect(.now - start < .seconds(10))
      // The last connection to close removes the log.
      if !isShown { #expect(!FileManager.default.fileExists(atPath: scene.history.path + "-wal")) }
      try await grab.killNow()
    }
  }

  @Test func `a hidden start while the program ends comes afterwards, without a window`() async throws {
    try await Scene.run(with: ["row"]) { scene in
      let lock = try await scene.lockHistory(whileCopying: "waits")
      scene.app.program.signal(SIGTERM)
      try await waitUntil("the window hidden") { try await scene.desktop.copyPastaWindowCount() == 0 }
      let launch = try scene.desktop.start([CopyPasta.programPath, "--background"])
      lock.close()
      // On a slow machine, the launch comes after the end, and is then the successor itself.
      let successor = try await waitFor("the successor") { () -> Program? in
        let left = [launch, scene.app.program].filter(\.isRunning)
        guard left.count == 1, let successor = left.first else { return nil }
        let command = try String(contentsOfFile: "/proc/\(successor.processID)/cmdline", encoding: .utf8)
        return command.contains("--background") ? successor : nil
      }
      try await scene.desktop.waitForName()
      #expect(try await scene.desktop.copyPastaWindowCount() == 0)
      #expect(try await successor.stop(grace: generousLimit) == .code(0))
    }
  }

  @Test func `a notification appears only the first time that the program keeps running without its window`()
    async throws
  {
    try await VirtualDesktop.with { desktop in
      let name = "org.freedesktop.Notifications"
      let object = ["/org/freedesktop/Notifications", name, "(uint32 1,)", "Notify:s u s s s as a{sv} i:u"]
      let daemon = try desktop.start(Fixture.python("service.py", [name] + object))
      try await daemon.waitUntil("the notification daemon") { $0 == ["ready"] }
      try desktop.home.set(["shortcut": "'<Control><Super>v'"])
      for start in 1...2 {
        let scene = Scene(desktop: desktop, app: try await CopyPasta.launch(on: desktop))
        try await scene.capture("secret words \(start)")
        for _ in 1...2 {
          try await scene.closeWindow(.escape)
          try await waitUntil("the window gone") { try await desktop.copyPastaWindowCount() == 0 }
          try await daemon.waitUntil("the notification") { $0.count > 1 }
          #expect(try await desktop.run([CopyPasta.programPath]).exit == .code(0))
          try await waitUntil("the window back") { try await scene.app.window.isActive() }
        }
        #expect(try await scene.app.stop() == .code(0))
      }
      let words = "'CopyPasta keeps running', 'Press Ctrl+Super+V to show it.'"
      #expect(daemon.lines.count == 2 && daemon.lines[1].contains(words), "\(daemon.lines)")
      #expect(!daemon.lines[1].contains("secret words"))
    }
  }

  /// GTK 4.8 uses a freed window if the window was destroyed between two iterations of the main loop.
  @Test func `quitting does not crash in GTK`() async throws {
    let folder = try TemporaryFolder()
    let library = folder.path + "/after_destroy.so"
    let compiler = try await Program.run(
      ["gcc", "-shared", "-fPIC", "-o", library, Fixture.path("after_destroy.c"), "-ldl"],
      environment: ["PATH": "/usr/bin:/bin"])
    try #require(compiler.exit == .code(0), "\(compiler.errors)")
    try await VirtualDesktop.with { desktop in
      for withDialog in [false, true] {
        let app = try await CopyPasta.launch(on: desktop, environment: ["LD_PRELOAD": library])
        if withDialog {
          try await desktop.press("ctrl+question")
          try await waitUntil("the dialog") { try await desktop.copyPastaWindowCount() == 2 }
        }
        #expect(try await app.stop() == .code(0))
        #expect(app.errors == "")
      }
    }
  }
}

extension Scene {
  /// Makes the X server close the connection of the clipboard's owner, as `xkill` does.
  fileprivate func dropOwnersConnection() async throws {
    let script = """
      from Xlib import display
      d = display.Display()
      d.get_selection_owner(d.intern_atom('CLIPBOARD')).kill_client()
      d.sync()
      """
    try await desktop.run(["/usr/bin/python3", "-c", script]).succeeded()
  }

  /// Lets another program lock the history until it closes its connection, and CopyPasta request a text meanwhile.
  fileprivate func lockHistory(whileCopying text: String) async throws -> ForeignConnection {
    let connection = try ForeignConnection(history.path)
    try connection.execute("BEGIN IMMEDIATE")
    let owner = try await ClipboardOwner.start(offering: .text(text), on: desktop)
    try await waitUntil("the text requested") { !owner.contentRequests.isEmpty }
    return connection
  }

  fileprivate func closeWindow(_ action: ShutdownTests.CloseAction) async throws {
    switch action {
    case .closeButton: try await app.window.close()
    case .escape: try await desktop.press("Escape")
    case .altF4: try await desktop.press("alt+F4")
    }
  }
}
