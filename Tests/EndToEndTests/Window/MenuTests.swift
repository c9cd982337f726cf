import TestSupport
import Testing

/// A row's context menu and the main menu, used with mouse and keyboard.
@Suite(.keepsPictures, .tags(.actsOnThePressedRow)) struct MenuTests {
  @Test(.tags(.copiesByEveryInput))
  func `a right click opens the row's menu and copies nothing; its Copy and Delete act on that row`()
    async throws
  {
    try await Scene.run(with: ["old", "new"]) { scene in
      try await scene.app.window.click(x: Scene.firstRowPoint.x, y: Scene.firstRowPoint.y + 34)
      try await scene.expectClipboard("old")
      let menu = try await Screenshot.take(of: scene.openMenuByMouse(), on: scene.desktop)
      // The corners must not be black, even without a compositor.
      let black = Screenshot.Colour(red: 0, green: 0, blue: 0)
      for x in [0, menu.width - 1] {
        for y in [0, menu.height - 1] { #expect(menu.colour(x: x, y: y) != black, "at \(x), \(y)") }
      }
      // Wait for the end of the flash on the copied row.
      let frame = try await scene.settledScreenshot(unchangedFor: .milliseconds(700)).focusFrame()
      #expect(frame.contains(Scene.firstRowPoint.y) && frame.count < 40, "\(frame)")
      try await scene.expectClipboard("old")
      // Choose with the pointer, because a key would show the focus frame.
      try await scene.app.window.click(x: Scene.firstRowPoint.x + 32, y: Scene.firstRowPoint.y + 24)
      try await scene.expectClipboard("new")
      try await waitUntil("no focus frame") { try await scene.screenshot().focusFrame().isEmpty }
      #expect(try await scene.history.texts() == ["new", "old"])

      let again = try await scene.openMenuByMouse()
      // The last entry.
      try await again.click(x: 32, y: again.frame().height - 24)
      #expect(try await eventually { try await scene.history.texts() == ["old"] })
      // The neighbouring row gets the focus.
      try await waitUntil("the menu gone") { try await scene.desktop.popups().isEmpty }
      try await scene.desktop.press("Return")
      try await scene.expectClipboard("old")
    }
  }

  @Test func `a right click released on another row opens no menu`() async throws {
    try await Scene.run(with: ["old", "new"]) { scene in
      let point = Scene.firstRowPoint
      try await scene.app.window.moveMouse(x: point.x, y: point.y)
      try await scene.desktop.xdotool("mousedown", "3")
      try await scene.app.window.moveMouse(x: point.x, y: point.y + 34)
      try await scene.desktop.xdotool("mouseup", "3")
      // If a menu were open, Escape would close the menu; otherwise Escape closes the window and ends the program.
      try await scene.desktop.press("Escape")
      #expect(try await scene.app.program.waitForExit() == .code(0))
    }
  }

  /// The menu's own press comes after the other program's copy.
  @Test(arguments: VirtualDesktop.Kind.everywhere)
  func `a menu copies its row although another program has copied since it was opened`(
    _ kind: VirtualDesktop.Kind
  ) async throws {
    try await Scene.run(on: kind, with: ["old", "new"]) { scene in
      try await scene.parkMouse()
      try await scene.desktop.press("Home")
      try await scene.openPopup("Menu")
      try await scene.desktop.copy("other")
      try await waitUntil("the copy recorded") { try await scene.history.texts().first == "other" }
      try await scene.desktop.press("c")
      try await scene.expectClipboard("new")
    }
  }

  @Test(.tags(.opensMenuByEveryInput), arguments: VirtualDesktop.Kind.all)
  func `the Menu key opens the focused row's menu`(_ kind: VirtualDesktop.Kind) async throws {
    try await Scene.run(on: kind, with: ["oldest", "middle", "newest"]) { scene in
      try await scene.parkMouse()
      try await scene.desktop.press("Home", "Down")
      try await scene.openPopup("Menu")
      try await scene.desktop.press("d")
      #expect(try await eventually { try await scene.history.texts() == ["newest", "oldest"] })
    }
  }

  /// The menu is opened with its key or button; then the menu, or a dialog or question opened from it, is closed.
  @Test func `closing the main menu or what it opens returns the focus to the same row`() async throws {
    try await Scene.run(with: ["oldest", "middle", "newest"]) { scene in
      try await scene.parkMouse()
      for (title, choice, byKey) in [
        ("", [], true), ("", [], false), ("Preferences", ["p"], true), ("Preferences", ["p"], false),
        ("CopyPasta", ["h"], true), ("About CopyPasta", ["a"], false),
      ] {
        try await scene.desktop.press("Home", "Return")
        try await scene.expectClipboard("newest")
        try await scene.desktop.press("Down")
        if byKey {
          try await scene.openPopup("F10")
        } else {
          try await scene.app.window.click(x: 312, y: 27)
          try await scene.waitForPopup()
          try await scene.parkMouse()
        }
        for key in choice { try await scene.desktop.press(key) }
        if !title.isEmpty {
          try await scene.waitForDialog(titled: title)
          try await waitUntil("no menu") { try await scene.desktop.popups().isEmpty }
        }
        try await scene.desktop.press(title == "Preferences" ? "ctrl+w" : "Escape")
        try await waitUntil("only the main window") {
          guard try await scene.desktop.popups().isEmpty else { return false }
          return try await scene.app.window.isActive()
        }
        try await scene.desktop.press("Return")
        try await scene.expectClipboard("middle")
      }
    }
  }
}

extension Scene {
  /// Opens the newest row's menu with the secondary button, and waits until the menu is drawn.
  @discardableResult
  fileprivate func openMenuByMouse() async throws -> DesktopWindow {
    try await app.window.moveMouse(x: Self.firstRowPoint.x, y: Self.firstRowPoint.y)
    // Press and release separately, because xdotool's click takes only microseconds.
    try await desktop.xdotool("mousedown", "3")
    try await desktop.xdotool("mouseup", "3")
    return try await waitForPopup()
  }
}
