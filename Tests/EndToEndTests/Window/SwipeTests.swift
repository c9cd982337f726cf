import TestSupport
import Testing

/// A row is swiped to the side, with two fingers on a touchpad.
///
/// A compositor takes a text from who has heard of a key or a press; a touchpad's movement alone is neither, so a key
/// goes before where a text is to be copied.
@Suite struct SwipeTests {
  @Test func `a swipe from the leading edge copies`() async throws {
    try await Scene.run(on: .wayland, with: ["older", "newer"]) { scene in
      try await scene.desktop.press("Home")
      try await scene.swipeFirstRow(right: 300)
      try await scene.expectClipboard("newer")
      #expect(try await scene.history.texts() == ["newer", "older"])
    }
  }

  @Test func `a swipe from the trailing edge deletes`() async throws {
    try await Scene.run(on: .wayland, with: ["older", "newer"]) { scene in
      try await scene.swipeFirstRow(right: -300)
      try await waitUntil("the row deleted") { try await scene.history.texts() == ["older"] }
      try await scene.desktop.press("ctrl+z")
      try await waitUntil("the row back") { try await scene.history.texts() == ["newer", "older"] }
    }
  }

  /// The next swipe does what it should, so the short one before it has done nothing.
  @Test func `a short swipe springs back`() async throws {
    try await Scene.run(on: .wayland, with: ["older", "newer"]) { scene in
      // The pointer stays where the fingers were, and the row below it is tinted.
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
    }
  }

  @Test func `a vertical swipe scrolls the list without deleting`() async throws {
    let rows = (1...40).map { "row \($0)" }
    try await Scene.run(on: .wayland, with: rows) { scene in
      let before = try await scene.settledScreenshot()
      try await scene.swipeFirstRow(down: -300)
      let after = try await scene.settledScreenshot()
      #expect(!after.matches(before, in: Scene.firstRow), "not scrolled")
      #expect(try await scene.history.count() == 40)
    }
  }
}

extension Scene {
  func swipeFirstRow(right: Int = 0, down: Int = 0) async throws {
    let frame = try await app.window.frame()
    try await desktop.swipe(
      fromX: frame.x + Scene.firstRowPoint.x, y: frame.y + Scene.firstRowPoint.y, right: right, down: down)
  }
}
