import Foundation
import TestSupport
import Testing

/// The global shortcut on X11, pressed while another program has the focus.
@Suite(.keepsPictures, .tags(.popsUp)) struct ShortcutTests {
  @Test(arguments: VirtualDesktop.WindowManager.allCases)
  func `the shortcut shows the window, and hides it again`(_ manager: VirtualDesktop.WindowManager)
    async throws
  {
    try await Self.run(under: manager, with: ["text"]) { scene, other in
      for round in 1...Scene.rounds {
        try await scene.pressShortcut()
        try await scene.expectActive("round \(round)")
        try await scene.desktop.expectOneWindow()
        try await scene.pressShortcut()
        try await waitUntil("the other window active, round \(round)") { try await other.isActive() }
        #expect(try await eventually { try await scene.desktop.copyPastaWindowCount() == 0 })
      }
    }
  }

  /// While the window is opening, another program still has the focus.
  ///
  /// The keys are typed up to five times: the shortcut freezes the keyboard for at most half a second, and a busy
  /// machine may need longer to show the window.
  @Test(arguments: VirtualDesktop.WindowManager.allCases)
  func `keys typed right after the shortcut reach the window`(_ manager: VirtualDesktop.WindowManager)
    async throws
  {
    try await Self.run(under: manager, with: ["older", "newest"]) { scene, _ in
      for _ in 1...5 {
        try await scene.desktop.xdotool("key", "--delay", "0", "ctrl+super+v", "Down", "Return")
        if try await eventually(
          within: .seconds(3), { try await scene.desktop.paste() == Array("older".utf8) })
        {
          break
        }
        if try await scene.isActive() { try await scene.pressShortcut() }
        try await waitUntil("the window gone") { try await scene.desktop.copyPastaWindowCount() == 0 }
      }
      try await scene.expectClipboard("older")
    }
  }

  @Test(.tags(.takesNoKeys)) func `a suspended CopyPasta takes no keys from another program`() async throws {
    try await Self.run { scene, _ in
      let typed = try scene.desktop.start(["xev", "-name", "Typed", "-event", "keyboard"])
      let window = try await waitFor("the window") { try await scene.desktop.window(titled: "Typed") }
      try await window.activate()
      scene.app.program.signal(SIGSTOP)
      defer { scene.app.program.signal(SIGCONT) }
      try await scene.desktop.xdotool("key", "ctrl+super+v")
      try await scene.desktop.xdotool("key", "q")
      #expect(
        try await eventually(within: .seconds(10)) {
          String(decoding: typed.output, as: UTF8.self).contains("keysym 0x71, q")
        })
      try await window.close()
      scene.app.program.signal(SIGCONT)
      // The shortcut that was pressed while CopyPasta was suspended now shows the window.
      try await scene.expectActive()
    }
  }

  /// An open menu has grabbed the keyboard, so the press does not reach the grab of the shortcut.
  @Test func `the shortcut hides the window while its menu or a drop-down is open`() async throws {
    try await Self.run(with: ["text"]) { scene, other in
      for (dialog, popup) in [(nil, "Menu"), (nil, "F10"), ("ctrl+comma", "alt+k")] {
        try await scene.pressShortcut()
        try await scene.expectActive()
        if let dialog {
          try await scene.desktop.press(dialog)
          try await scene.waitForDialog(titled: "Preferences")
        }
        try await scene.openPopup(popup)
        try await scene.pressShortcut()
        try await waitUntil("the other window active") { try await other.isActive() }
        #expect(try await eventually { try await scene.desktop.copyPastaWindowCount() == 0 })
      }
    }
  }

  /// Without a window manager, only the X focus shows that the user works in the window.
  @Test func `without a window manager, a second press of the shortcut hides the window`() async throws {
    try await VirtualDesktop.with(windowManager: nil) { desktop in
      try desktop.home.set(["shortcut": "'<Control><Super>v'"])
      let program = try desktop.start([CopyPasta.programPath, "--background"])
      try await desktop.waitForName()
      for isShown in [true, false, true, false] {
        try await waitUntil("the window shown: \(isShown)") {
          try await desktop.xdotool("key", "ctrl+super+v")
          return try await eventually(within: Scene.timeOfOnePress) {
            let search = ["xdotool", "search", "--onlyvisible", "--class", CopyPasta.applicationID]
            return try await (desktop.run(search).exit == .code(0)) == isShown
          }
        }
      }
      #expect(try await program.stop(grace: generousLimit) == .code(0))
    }
  }

  @Test func `the portal's shortcut hides and shows the window on Wayland`() async throws {
    try await VirtualDesktop.with(.wayland) { desktop in
      let portal = try await TestPortal.start(on: desktop).program
      try desktop.home.set(["shortcut": "'<Control><Super>v'"])
      let scene = Scene(desktop: desktop, app: try await CopyPasta.launch(on: desktop))
      try await portal.waitUntil("the shortcut bound") { $0.contains("BindShortcuts") }
      try await waitUntil("the window hidden by the shortcut") {
        portal.signal(SIGUSR1)
        return try await eventually(within: Scene.timeOfOnePress) { try await scene.shownWindow() == nil }
      }
      portal.signal(SIGUSR1)
      try await scene.waitUntilActive()
      try await scene.end()
    }
  }

  /// Runs a test on the hidden program, which holds its shortcut while another window has the focus.
  nonisolated(nonsending) private static func run(
    under manager: VirtualDesktop.WindowManager = .openbox, with clips: [String] = [],
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (_ scene: Scene, _ other: DesktopWindow) async throws -> Void
  ) async throws {
    try await VirtualDesktop.with(windowManager: manager) { desktop in
      try desktop.home.set(["shortcut": "'<Control><Super>v'"])
      if !clips.isEmpty { try await Scene.fillHistory(with: clips, on: desktop) }
      let scene = Scene(desktop: desktop, app: try await CopyPasta.launch(on: desktop))
      try await scene.waitForShortcut()
      let other = try await desktop.openOtherWindow()
      try await body(scene, other)
      try await scene.end(sourceLocation: sourceLocation)
    }
  }
}

extension Scene {
  /// Presses the shortcut like a user: without `--clearmodifiers`, so that Caps Lock and Num Lock stay on.
  fileprivate func pressShortcut(_ keys: String = "ctrl+super+v") async throws {
    // Wait, because a very fast second press counts as a key repeat.
    try await Task.sleep(for: .milliseconds(300))
    try await desktop.xdotool("key", keys)
  }

  /// Presses the shortcut until the window is hidden, which shows that the shortcut works.
  fileprivate func waitForShortcut() async throws {
    try await waitUntil("the shortcut working") {
      try await pressShortcut()
      return try await eventually(within: Scene.timeOfOnePress) { try await !app.window.isVisible() }
    }
  }

  fileprivate func isActive() async throws -> Bool { try await CopyPasta.readyWindow(on: desktop) != nil }

  fileprivate func expectActive(_ when: String = "") async throws {
    try await waitUntil("the window active \(when)") { try await isActive() }
  }
}
