import TestSupport
import Testing

/// Rows swiped sideways with two fingers on a touchpad.
///
/// Tests that copy press a key first, because a compositor lets a window set the clipboard only after a press of a key
/// or a button. A swipe does not count as a press.
@Suite(.keepsPictures, .tags(.actsOnThePressedRow)) struct SwipeTests {
  /// If the program copied, sway would silently refuse the copy, and GTK would then ignore the copies of other programs.
  @Test func `a touchpad swipe without a press before shows a notice, and later copies are recorded`()
    async throws
  {
    try await Scene.run(on: .wayland, with: ["older", "newer"], accessibility: true) { scene in
      // Only a press after the other program's copy counts.
      try await scene.desktop.press("Home")
      try await scene.capture("captured")
      let reader = try await ScreenReader.listening(on: scene.desktop)
      try await scene.swipeFirstRow(right: 300)
      try await reader.waitToHear("first press a key or click")
      try await scene.expectClipboard("captured")
      try await scene.record("after")
      #expect(try await scene.history.texts() == ["after", "captured", "newer", "older"])
    }
  }

  /// TouchTests also swipe in a right-to-left language, but need GNOME.
  @Test func `a touchpad swipe to the right deletes the row in a right-to-left language`() async throws {
    try await TestLocale.with("ar_EG") { locale in
      // The texts fill their lines, because a short text would be at the other edge of its row.
      let texts = [TouchTests.older, TouchTests.newer]
      try await Scene.run(on: .wayland, with: texts, environment: locale.environment()) { scene in
        try await scene.swipeFirstRow(right: 300)
        try await waitUntil("the row deleted") { try await scene.history.texts() == [TouchTests.older] }
      }
    }
  }

  /// The next swipe copies the same row, which shows that the short swipe had no effect.
  @Test func `a long touchpad swipe copies or deletes the row, and a short one springs back`()
    async throws
  {
    try await Scene.run(on: .wayland, with: ["older", "newer"]) { scene in
      // The pointer stays over the row and tints it, so compare with a picture taken after a first swipe.
      try await scene.swipeFirstRow(right: -60)
      let before = try await scene.settledScreenshot(unchangedFor: .milliseconds(500))
      try await scene.swipeFirstRow(right: 60)
      _ = try await scene.settledScreenshot()
      let isBack = try await eventually { try await scene.screenshot().matches(before, in: Scene.firstRow) }
      #expect(isBack, "the row is not back in its place")
      try await scene.desktop.press("Home")
      try await scene.swipeFirstRow(right: 300)
      try await scene.expectClipboard("newer")
      #expect(try await scene.history.count() == 2)
      try await scene.swipeFirstRow(right: -300)
      try await waitUntil("the row deleted") { try await scene.history.texts() == ["older"] }
      try await scene.desktop.press("ctrl+z")
      try await waitUntil("the row back") { try await scene.history.texts() == ["newer", "older"] }
    }
  }
}

extension Scene {
  func swipeFirstRow(right: Int) async throws {
    let frame = try await app.window.frame()
    try await desktop.swipe(
      fromX: frame.x + Scene.firstRowPoint.x, y: frame.y + Scene.firstRowPoint.y, right: right)
  }
}
