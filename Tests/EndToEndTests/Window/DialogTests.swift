import Foundation
import TestSupport
import Testing

/// Preferences, Keyboard Shortcuts, About and the main menu, used with the keyboard.
@Suite struct DialogTests {
  @Test func `Ctrl+W closes a dialog, and then hides the main window`() async throws {
    try await Scene.run(with: ["one"]) { scene in
      // The program keeps running because it owns the clipboard.
      try await scene.desktop.press("Return")
      try await scene.expectClipboard("one")
      try await scene.openDialog("ctrl+comma", titled: "Preferences")
      try await scene.desktop.press("ctrl+w")
      try await waitUntil("the main window again") { try await scene.app.window.isActive() }
      try await scene.desktop.press("ctrl+w")
      try await waitUntil("no window") { try await scene.desktop.copyPastaWindowCount() == 0 }
    }
  }

  @Test(arguments: [VirtualDesktop.Kind.x11, .wayland])
  func `window shortcuts are captured, not executed, while the shortcut button waits for keys`(
    kind: VirtualDesktop.Kind
  ) async throws {
    try await Scene.run(on: kind, with: ["one"]) { scene in
      try await scene.openDialog("ctrl+comma", titled: "Preferences")
      let chosen = [
        ("alt+t", "<Alt>t"), ("alt+s", "<Alt>s"), ("alt+c", "<Alt>c"), ("ctrl+q", "<Control>q"),
        ("ctrl+comma", "<Control>comma"), ("ctrl+Down", "<Control>Down"),
      ]
      func choose(_ keys: String, _ shortcut: String) async throws {
        try await scene.pressOnOneKeyboard(["alt+h", keys])
        let line = "shortcut='\(shortcut)'"
        try await waitUntil("\(line) by \(keys)") { try scene.keyFile().contains(line) }
      }
      for (keys, shortcut) in chosen { try await choose(keys, shortcut) }
      try await scene.pressOnOneKeyboard(["alt+h", "Escape", "alt+c"])
      #expect(try await eventually { try scene.keyFile().contains("hide-after-copying=true") })
      let settings = try scene.keyFile()
      #expect(!settings.contains("tray-icon") && !settings.contains("start-at-login"), "\(settings)")
      #expect(try await scene.desktop.window(titled: "Preferences")?.isActive() == true)
      // Choose Alt+H, the button's own key, last: on X11, the chosen shortcut then hides Preferences and the window.
      try await choose("alt+h", "<Alt>h")
    }
  }

  @Test func `Escape cancels a shortcut change and Backspace clears the shortcut`() async throws {
    try await Scene.run(with: ["one"]) { scene in
      try scene.writeKeyFile("[org/copypasta/CopyPasta]\nshortcut='<Super>j'\n")
      try await scene.openDialog("ctrl+comma", titled: "Preferences")
      for (key, shortcut, isHiding) in [("Escape", "<Super>j", true), ("BackSpace", "", false)] {
        // Alt+C changes a different setting. Once this setting has changed, the earlier keys have taken effect.
        try await scene.desktop.press("alt+h", key, "alt+c")
        #expect(try await eventually { try scene.keyFile().contains("hide-after-copying=\(isHiding)") })
        #expect(try scene.keyFile().contains("shortcut='\(shortcut)'"))
      }
    }
  }

  @Test func `the wheel scrolls Preferences and does not change the number under the pointer`() async throws {
    try await Scene.run(with: ["one"], accessibility: true) { scene in
      let reader = ScreenReader(desktop: scene.desktop)
      let window = try await scene.openDialog("ctrl+comma", titled: "Preferences")
      let resized = try await scene.desktop.run(
        ["wmctrl", "-i", "-r", "\(window.id)", "-e", "0,-1,-1,480,400"])
      #expect(resized.exit == .code(0))
      try await waitUntil("a low window") { try await window.frame().height == 400 }
      // Focus the last setting, at the end of the page. Repeat, because the window may be laid out only after the key presses.
      let end = try await waitFor("the page's end") { () -> Int? in
        try await scene.desktop.press("shift+Tab", "alt+l")
        let y = try await reader.depth(of: "Size Limit (MiB)")
        return y < 400 ? y : nil
      }
      // Scroll with the pointer on the number.
      try await window.click(x: 350, y: 378, button: 4)
      try await waitUntil("the page scrolled") { try await reader.depth(of: "Size Limit (MiB)") > end }
      try await scene.desktop.press("alt+c")
      #expect(try await eventually { try scene.keyFile().contains("hide-after-copying=true") })
      let settings = try scene.keyFile()
      #expect(!settings.contains("size-limit"))
    }
  }

  /// The arrow keys skip a disabled entry, so the fourth enabled entry is About.
  @Test func `Clear History is disabled while the history is empty`() async throws {
    try await Scene.run { scene in
      try await scene.openPopup("F10")
      try await scene.desktop.press("Down", "Down", "Down", "Return")
      try await scene.waitForDialog(titled: "About CopyPasta")
      try await scene.desktop.press("Escape")
      try await waitUntil("the main window again") { try await scene.app.window.isActive() }
      try await scene.capture("one")
      try await scene.openPopup("F10")
      try await scene.desktop.press("Down", "Return")
      try await scene.waitForDialog(titled: "Clear History?")
    }
  }

  @Test func `the preferences action opens Preferences while the window is hidden`() async throws {
    try await VirtualDesktop.with { desktop in
      let program = try desktop.start([CopyPasta.programPath, "--background"])
      let service = ["gapplication", "action", CopyPasta.applicationID, "preferences"]
      try await waitUntil("the program on the bus") { try await desktop.run(service).exit == .code(0) }
      _ = try await waitFor("Preferences") { try await desktop.window(titled: "Preferences") }
      #expect(try await program.stop() == .code(0))
      #expect(program.errors == "")
    }
  }
}

extension Scene {
  /// Presses keys with a single virtual keyboard.
  ///
  /// On sway each new keyboard would briefly take the focus from the window.
  fileprivate func pressOnOneKeyboard(_ keys: [String]) async throws {
    guard desktop.kind == .wayland else {
      for key in keys { try await desktop.press(key) }
      return
    }
    let words = keys.flatMap { key in
      let parts = key.split(separator: "+").map(String.init)
      let modifiers = parts.dropLast()
      return modifiers.flatMap { ["-M", $0] } + ["-k", parts.last ?? key] + modifiers.flatMap { ["-m", $0] }
    }
    #expect(try await desktop.run(["wtype"] + words).exit == .code(0))
  }

  /// Presses keys and waits for the window that they open.
  @discardableResult
  func openDialog(_ keys: String, titled title: String) async throws -> DesktopWindow {
    try await desktop.press(keys)
    return try await waitForDialog(titled: title)
  }

  @discardableResult
  func waitForDialog(titled title: String) async throws -> DesktopWindow {
    try await waitFor("“\(title)” in front") {
      let title = try await desktop.activeWindow()?.title() ?? "nothing"
      return try await "“\(title)” in front, \(desktop.popups().count) menus open"
    } _: {
      guard let window = try await desktop.window(titled: title), try await window.isActive() else {
        return nil
      }
      return window
    }
  }

  private var keyFilePath: String { desktop.home.configHome + "/glib-2.0/settings/keyfile" }

  /// The content of GSettings' key file; empty if the file does not exist yet.
  func keyFile() throws -> String {
    guard FileManager.default.fileExists(atPath: keyFilePath) else { return "" }
    return try String(contentsOfFile: keyFilePath, encoding: .utf8)
  }

  /// Replaces GSettings' key file, like another program that changes a setting.
  func writeKeyFile(_ text: String) throws {
    try FileManager.default.createDirectory(
      atPath: (keyFilePath as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try text.write(toFile: keyFilePath, atomically: true, encoding: .utf8)
  }
}
