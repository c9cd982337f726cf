import TestSupport
import Testing

/// A press that activates the window, which then records another program's text before the button is released.
@Suite(.keepsPictures, .tags(.actsOnThePressedRow)) struct PressTests {
  @Test func `a click copies the row that was pressed although a new row arrives before the release`()
    async throws
  {
    try await Scene.run(with: ["oldest", "middle", "newest"]) { scene in
      try await scene.pressSecondRow(button: 1)
      try await scene.expectClipboard("middle")
      #expect(try await scene.history.texts() == ["elsewhere", "newest", "middle", "oldest"])
    }
  }

  @Test func `a row's menu acts on the row that was pressed although a new row arrives before the release`()
    async throws
  {
    try await Scene.run(with: ["oldest", "middle", "newest"]) { scene in
      try await scene.pressSecondRow(button: 3)
      try await scene.waitForPopup()
      try await scene.desktop.press("d")
      try await waitUntil("the row deleted") {
        try await scene.history.texts() == ["elsewhere", "newest", "oldest"]
      }
    }
  }

  @Test func `a pressed row looks different from a hovered row until the release`() async throws {
    try await Scene.run(with: ["old", "new"]) { scene in
      // The second row, because the first one is filled, having the focus.
      let point = (x: 300, y: Scene.firstRowPoint.y + 34)
      try await scene.app.window.moveMouse(x: point.x - 4, y: point.y)
      try await scene.app.window.moveMouse(x: point.x, y: point.y)
      @Sendable func background() async throws -> Screenshot.Colour {
        try await scene.settledScreenshot().colour(x: point.x, y: point.y)
      }
      let hovered = try await background()
      try await scene.desktop.xdotool("mousedown", "1")
      let pressed = try await background()
      #expect(pressed.red + 12 < hovered.red, "\(hovered), \(pressed)")
      // Releasing the button elsewhere cancels the click.
      try await scene.app.window.moveMouse(x: point.x, y: point.y + 200)
      try await scene.desktop.xdotool("mouseup", "1")
      #expect(try await scene.desktop.paste() == nil)
    }
  }
}

extension Scene {
  /// Presses the second row while another program is active, and releases the button once a new row has moved it.
  fileprivate func pressSecondRow(button: Int) async throws {
    try await openOtherWindow()
    try await desktop.copy("elsewhere")
    let before = try await settledScreenshot()
    try await app.window.moveMouse(x: Self.firstRowPoint.x, y: Self.firstRowPoint.y + 34)
    try await desktop.xdotool("mousedown", "\(button)")
    try await expectNewest("elsewhere")
    try await waitUntil("the new row drawn") {
      try await !screenshot().hasSameText(as: before, in: Self.firstRow)
    }
    try await desktop.xdotool("sleep", "0.15", "mouseup", "\(button)")
  }
}
