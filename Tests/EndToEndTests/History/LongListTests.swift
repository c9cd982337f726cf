import TestSupport
import Testing

/// A history of 5,000 rows, which are loaded on demand.
@Suite struct LongListTests {
  static let count = 5000
  static let clips = (1...count).map { "row \($0)" }
  /// The rows without the scroll bar, which appears only while scrolling.
  static let rows = Rectangle(x: 8, y: 60, width: 420, height: 560)

  @Test
  func `End, Home and Page Down work in a long list, and deleting old rows focuses the next one`()
    async throws
  {
    try await Scene.run(with: Self.clips) { scene in
      try await scene.goToTheEnd()
      try await scene.desktop.press("Home", "Down", "Down", "Return")
      try await scene.expectClipboard("row \(Self.count - 2)")
      try await scene.desktop.press("Home", "Return")
      try await scene.expectClipboard("row \(Self.count)")
      // Wait, because GTK computes the height of a page from the rows laid out so far.
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
      try await scene.desktop.press("End", "Up", "Up", "Up", "Delete", "Delete", "Return")
      try await scene.expectClipboard("row 2")
      #expect(try await eventually { try await scene.history.count() == Self.count - 2 })
      #expect(try await scene.history.query("SELECT group_concat(id) FROM clip WHERE id < 7") == "1,2,5,6")
    }
  }

  @Test func `a capture does not scroll a list at its end`() async throws {
    try await Scene.run(with: Self.clips, mostlyWaits: true) { scene in
      try await scene.goToTheEnd()
      try await scene.expectCapturesMoveNothing()
    }
  }

  @Test func `a capture does not scroll a list that the wheel scrolled after a key press`() async throws {
    try await Scene.run(with: Self.clips, mostlyWaits: true) { scene in
      try await scene.goToTheEnd()
      try await scene.desktop.press("Home", "Return")
      try await scene.expectClipboard("row \(Self.count)")
      let before = try await scene.settledScreenshot()
      try await scene.scrollByWheel(past: before)
      try await scene.expectCapturesMoveNothing()
    }
  }

  @Test func `a capture does not scroll a list that only the wheel has scrolled`() async throws {
    try await Scene.run(with: Self.clips, mostlyWaits: true) { scene in
      try await scene.scrollByWheel(past: scene.settledScreenshot())
      try await scene.expectCapturesMoveNothing()
    }
  }
}

extension Scene {
  fileprivate func scrollByWheel(past before: Screenshot) async throws {
    try await app.window.moveMouse(x: 200, y: 300)
    try await desktop.xdotool("click", "--repeat", "20", "5")
    try await waitUntil("the list scrolled") {
      try await !screenshot().matches(before, in: LongListTests.rows)
    }
  }

  /// Moves to the oldest row, which is loaded shortly after the first frame.
  fileprivate func goToTheEnd() async throws {
    try await parkMouse()
    try await waitUntil("the oldest row copied", every: .milliseconds(100)) {
      try await desktop.press("End", "Return")
      return try await eventually(within: .milliseconds(500)) { try await copiedRow() == 1 }
    }
  }

  /// The number of the row on the clipboard.
  fileprivate func copiedRow() async throws -> Int? {
    guard let text = try await XClip.paste(on: desktop) else { return nil }
    return Int(String(decoding: text, as: UTF8.self).dropFirst("row ".count))
  }

  /// Captures two texts, and expects them at the top of the list and the visible rows unmoved.
  fileprivate func expectCapturesMoveNothing() async throws {
    try await parkMouse()
    // This capture removes “On the clipboard” from the row copied before.
    try await record("new 0")
    // Wait longer than the flash of a copied row and than the 3 s after which GTK hides the focus ring.
    let before = try await settledScreenshot(unchangedFor: .milliseconds(3500))
    for number in 1...2 { try await record("new \(number)") }
    // Skip the upper edge, which the button with the count of new items covers.
    let rows = LongListTests.rows
    let button = Rectangle(x: rows.x, y: rows.y, width: rows.width, height: 60)
    try await waitUntil("the new items counted") { try await !screenshot().matches(before, in: button) }
    let after = try await settledScreenshot()
    let seen = Rectangle(x: rows.x, y: rows.y + 60, width: rows.width, height: rows.height - 60)
    let isUnmoved = after.matches(before, in: seen)
    #expect(isUnmoved, "the visible rows have moved")
    // Repeat the keys, because a text is on disk before its row is in the list.
    try await waitUntil("the newest row copied") {
      try await desktop.press("Home", "Return")
      return try await eventually(within: .seconds(1)) {
        try await XClip.paste(on: desktop) == Array("new 2".utf8)
      }
    }
    try await desktop.press("Down", "Return")
    try await expectClipboard("new 1")
  }
}
