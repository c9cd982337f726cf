import TestSupport
import Testing

/// A press that activates the window, which then records another program's text before the button is released.
@Suite(.keepsPictures, .tags(.actsOnThePressedRow)) struct PressTests {
  @Test(arguments: [1, 3])
  func `a click and a row's menu act on the row that was pressed although a new row arrives meanwhile`(
    button: Int
  ) async throws {
    try await Scene.run(with: ["oldest", "middle", "newest"]) { scene in
      try await scene.openOtherWindow()
      try await scene.desktop.copy("elsewhere")
      let before = try await scene.settledScreenshot()
      let point = Scene.firstRowPoint
      try await scene.app.window.moveMouse(x: point.x, y: point.y + 34)
      try await scene.desktop.xdotool("mousedown", "\(button)")
      try await scene.expectNewest("elsewhere")
      try await waitUntil("the new row drawn") {
        try await !scene.screenshot().hasSameText(as: before, in: Scene.firstRow)
      }
      try await scene.desktop.xdotool("sleep", "0.15", "mouseup", "\(button)")
      guard button == 3 else {
        try await scene.expectClipboard("middle")
        #expect(try await scene.history.texts() == ["elsewhere", "newest", "middle", "oldest"])
        return
      }
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
