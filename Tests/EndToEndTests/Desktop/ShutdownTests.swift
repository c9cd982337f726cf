import Foundation
import TestSupport
import Testing

/// How the program exits, and what remains on the clipboard.
@Suite struct ShutdownTests {
  /// The ways in which a user closes the window.
  enum Way: CaseIterable { case closeButton, escape, altF4 }

  @Test(arguments: Way.allCases)
  func `a copied text can be pasted after the window is closed`(_ way: Way) async throws {
    let text = "pasted\tafter é 🍝\n"
    try await Scene.run(with: [text, "newest"]) { scene in
      try await scene.desktop.press("Home", "Down", "Return")
      try await scene.expectClipboard(text)
      try await scene.closeWindow(way)
      try await waitUntil("the window gone") { try await !scene.app.window.isVisible() }
      #expect(try await XClip.paste(on: scene.desktop) == Array(text.utf8))
      #expect(try await XSel.paste(on: scene.desktop) == Array(text.utf8))
      #expect(scene.app.program.isRunning)
      // The process is no longer needed once another program copies.
      try await XClip.copy("another", on: scene.desktop)
      #expect(try await scene.app.program.waitForExit() == .code(0))
      #expect(try await scene.history.texts() == ["newest", text])
    }
  }

  @Test(arguments: Way.allCases)
  func `closing the window ends a program that does not own the clipboard`(_ way: Way) async throws {
    try await Scene.run { scene in
      try await scene.capture("not ours")
      try await scene.closeWindow(way)
      #expect(try await scene.app.program.waitForExit() == .code(0))
      try await scene.expectClipboard("not ours")
    }
  }

  /// This is X11 only, because on Wayland the program could not tell whether the text is complete.
  @Test func `a text still being transferred when the window closes is recorded`() async throws {
    try await Scene.run { scene in
      let long = try await ClipboardOwner.start(behaving: "IncrLong", on: scene.desktop)
      try await waitUntil("the transfer started") { long.lines.contains("piece") }
      try await scene.closeWindow(.closeButton)
      #expect(try await scene.app.program.waitForExit() == .code(0))
      #expect(try await scene.history.texts() == [String(repeating: "abc", count: 20_000)])
    }
  }

  @Test func `a second launch shows the hidden window again`() async throws {
    try await Scene.run(with: ["kept"]) { scene in
      try await scene.desktop.press("Home", "Return")
      try await scene.expectClipboard("kept")
      try await scene.closeWindow(.escape)
      try await waitUntil("the window gone") { try await !scene.app.window.isVisible() }
      #expect(try await scene.desktop.run([CopyPasta.programPath]).exit == .code(0))
      try await waitUntil("the window back") {
        try await CopyPasta.readyWindow(on: scene.desktop) != nil
      }
      // The program reads the clipboard again, and its visible window keeps it running.
      try await scene.capture("after")
      #expect(scene.app.program.isRunning)
    }
  }

  @Test func `only the first close that leaves the program running shows a notification`()
    async throws
  {
    try await VirtualDesktop.with { desktop in
      let daemon = try desktop.start(Fixture.python("notifications.py"))
      func shown() -> String { String(decoding: daemon.output, as: UTF8.self) }
      try await waitUntil("the notification daemon") { shown() == "ready\n" }
      try desktop.home.set(["shortcut": "'<Control><Super>v'"])
      for start in 1...2 {
        let scene = Scene(desktop: desktop, app: try await CopyPasta.launch(on: desktop))
        try await scene.capture("secret words \(start)")
        for _ in 1...2 {
          try await scene.closeWindow(.escape)
          try await waitUntil("the window gone") { try await desktop.copyPastaWindowCount() == 0 }
          try await waitUntil("the notification") { shown().contains("keeps running") }
          #expect(try await desktop.run([CopyPasta.programPath]).exit == .code(0))
          try await waitUntil("the window back") { try await scene.app.window.isActive() }
        }
        #expect(try await scene.app.stop() == .code(0))
      }
      #expect(shown() == "ready\nCopyPasta keeps running|Ctrl+Super+V shows it.\n")
    }
  }

  @Test func `SIGTERM ends the program and leaves no write-ahead log`() async throws {
    try await Scene.run { scene in
      try await scene.capture("kept")
      scene.app.program.signal(SIGTERM)
      #expect(try await scene.app.program.waitForExit() == .code(0))
      let folder = scene.desktop.home.dataHome + "/copypasta"
      let left = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(!left.contains { $0.hasSuffix("-wal") || $0.hasSuffix("-shm") }, "\(left)")
      #expect(try await scene.history.texts() == ["kept"])
    }
  }

  /// GTK 4.8 uses a freed window if the window was destroyed between two iterations of the main loop.
  @Test(arguments: [false, true])
  func `no window is destroyed before the main loop has ended`(withDialog: Bool) async throws {
    let folder = try TemporaryFolder()
    let library = folder.path + "/after_destroy.so"
    let compiler = try await Program.run(
      ["gcc", "-shared", "-fPIC", "-o", library, Fixture.path("after_destroy.c"), "-ldl"],
      environment: ["PATH": "/usr/bin:/bin"])
    try #require(compiler.exit == .code(0), "\(compiler.errors)")
    try await VirtualDesktop.with { desktop in
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

extension Scene {
  fileprivate func closeWindow(_ way: ShutdownTests.Way) async throws {
    switch way {
    case .closeButton: try await app.window.close()
    case .escape: try await desktop.press("Escape")
    case .altF4: try await desktop.press("alt+F4")
    }
  }
}
