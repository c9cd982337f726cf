import Foundation
import TestSupport
import Testing

/// Preferences, used with the keyboard.
@Suite(.keepsPictures) struct DialogTests {
  @Test
  func `while waiting, the shortcut button captures window shortcuts, Escape cancels, and Backspace clears`()
    async throws
  {
    try await Scene.run(with: ["one"]) { scene in
      try await scene.openDialog("ctrl+comma", titled: "Preferences")
      let chosen = [
        ("alt+t", "<Alt>t"), ("alt+s", "<Alt>s"), ("alt+c", "<Alt>c"), ("ctrl+q", "<Control>q"),
        ("ctrl+comma", "<Control>comma"), ("ctrl+Down", "<Control>Down"),
      ]
      func choose(_ keys: String, _ shortcut: String) async throws {
        try await scene.desktop.press("alt+h", keys)
        let line = "shortcut='\(shortcut)'"
        try await waitUntil("\(line) by \(keys)") { try scene.keyFile().contains(line) }
      }
      for (keys, shortcut) in chosen { try await choose(keys, shortcut) }
      try await scene.desktop.press("alt+h", "Escape", "alt+a")
      #expect(try await eventually { try scene.keyFile().contains("hide-popup=false") })
      let settings = try scene.keyFile()
      #expect(!settings.contains("tray-icon"), "\(settings)")
      #expect(settings.contains("shortcut='<Control>Down'"), "\(settings)")
      try await choose("BackSpace", "")
      #expect(try await scene.desktop.window(titled: "Preferences")?.isActive() == true)
      // Choose Alt+H, the button's own key, last: the chosen shortcut then hides Preferences and the window.
      try await choose("alt+h", "<Alt>h")
    }
  }

  /// On Wayland, the button itself loses the focus.
  @Test func `the shortcut button stops waiting for keys when another X11 window is active`() async throws {
    try await Scene.run { scene in
      let preferences = try await scene.openDialog("ctrl+comma", titled: "Preferences")
      try await scene.desktop.press("alt+h")
      try await scene.desktop.openOtherWindow()
      try await scene.desktop.press("ctrl+s")
      try await preferences.activate()
      try await scene.desktop.press("alt+a")
      try await waitUntil("Preferences usable") { try scene.keyFile().contains("hide-popup=false") }
      #expect(try scene.keyFile().contains("shortcut=''"))
    }
  }
}

extension Scene {
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
}
