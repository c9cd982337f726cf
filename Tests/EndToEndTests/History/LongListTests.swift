import TestSupport
import Testing

/// A history of 5,000 rows, which are loaded as they are needed.
@Suite struct LongListTests {
  static let count = 5000
  static let clips = (1...count).map { "row \($0)" }
  /// The rows on the left of the scroll bar, which comes and goes.
  static let rows = Rectangle(x: 8, y: 60, width: 420, height: 560)

  @Test func `End reaches the oldest row, Home the newest, and Page Down older rows in order`()
    async throws
  {
    try await Scene.run(with: Self.clips) { scene in
      try await scene.goToTheEnd()
      try await scene.desktop.press("Home", "Down", "Down", "Return")
      try await scene.expectClipboard("row \(Self.count - 2)")
      try await scene.desktop.press("Home", "Return")
      try await scene.expectClipboard("row \(Self.count)")
      // GTK measures a page by the rows that it has laid out.
      _ = try await scene.settledScreenshot()
      var position = Self.count
      for _ in 1...Scene.rounds {
        try await scene.desktop.press("Page_Down", "Return")
        let lower = try await waitFor("an older row copied") { () -> Int? in
          guard let row = try await scene.copiedRow(), row < position else { return nil }
          return row
        }
        // No row is less than 20 pixels high.
        #expect(lower > position - 640 / 20)
        position = lower
        try await scene.desktop.press("Up", "Return")
        try await scene.expectClipboard("row \(position + 1)")
        try await scene.desktop.press("Down")
        _ = try await scene.settledScreenshot()
      }
    }
  }

  @Test func `a capture does not scroll the list at its end or in its middle`() async throws {
    try await Scene.run(with: Self.clips) { scene in
      try await scene.goToTheEnd()
      try await scene.expectCapturesMoveNothing()
      try await scene.desktop.press("Home", "Page_Down", "Page_Down", "Page_Down", "Page_Down", "Page_Down")
      try await scene.expectCapturesMoveNothing("newer")
    }
  }

  @Test(arguments: [false, true])
  func `a capture does not scroll a list that was scrolled with the wheel`(afterUseOfTheKeyboard: Bool)
    async throws
  {
    try await Scene.run(with: Self.clips) { scene in
      if afterUseOfTheKeyboard {
        try await scene.desktop.press("Home", "Down", "Return")
        try await scene.expectClipboard("row \(Self.count - 1)")
      }
      let before = try await scene.settledScreenshot()
      try await scene.app.window.moveMouse(x: 200, y: 300)
      try await scene.desktop.xdotool("click", "--repeat", "20", "5")
      try await waitUntil("the list scrolled") {
        try await !scene.screenshot().matches(before, in: Self.rows)
      }
      try await scene.expectCapturesMoveNothing()
    }
  }

  @Test func `deleting rows deep in the list focuses the next row`() async throws {
    try await Scene.run(with: Self.clips) { scene in
      try await scene.goToTheEnd()
      try await scene.desktop.press("Up", "Up", "Up", "Delete", "Delete", "Return")
      try await scene.expectClipboard("row 2")
      #expect(try await eventually { try await scene.history.count() == Self.count - 2 })
      #expect(try await scene.history.query("SELECT group_concat(id) FROM clip WHERE id < 7") == "1,2,5,6")
    }
  }
}

extension Scene {
  /// Goes to the oldest row; those beyond the first page are loaded a moment after the first paint.
  fileprivate func goToTheEnd() async throws {
    try await parkMouse()
    try await waitUntil("the oldest row copied", every: .milliseconds(100)) {
      try await desktop.press("End", "Return")
      return try await eventually(within: .milliseconds(500)) { try await copiedRow() == 1 }
    }
  }

  /// The number of the row that is on the clipboard.
  fileprivate func copiedRow() async throws -> Int? {
    guard let text = try await XClip.paste(on: desktop) else { return nil }
    return Int(String(decoding: text, as: UTF8.self).dropFirst("row ".count))
  }

  /// Captures two texts, and expects them at the top of the list, and what is in view where it was.
  fileprivate func expectCapturesMoveNothing(_ text: String = "new") async throws {
    try await parkMouse()
    // Takes the sign from the row that was copied on the way here.
    try await capture("\(text) 0")
    // A row that was copied flashes for some time, and GTK hides the focus ring 3 s after a key.
    let before = try await settledScreenshot(unchangedFor: .milliseconds(3500))
    for number in 1...2 { try await capture("\(text) \(number)") }
    let after = try await settledScreenshot()
    // The button that counts new items lies over the upper edge.
    let rows = LongListTests.rows
    let seen = Rectangle(x: rows.x, y: rows.y + 60, width: rows.width, height: rows.height - 60)
    let isUnmoved = after.matches(before, in: seen)
    #expect(isUnmoved, "what is in view has moved")
    try await desktop.press("Home", "Return")
    try await expectClipboard("\(text) 2")
    try await desktop.press("Down", "Return")
    try await expectClipboard("\(text) 1")
  }
}
