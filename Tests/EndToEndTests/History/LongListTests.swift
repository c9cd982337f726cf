import TestSupport
import Testing

/// A history of 5,000 rows, which are loaded on demand.
@Suite(.keepsPictures, .tags(.scales)) struct LongListTests {
  static let count = 5000
  static let clips = (1...count).map { "row \($0)" }

  @Test
  func `End, Home and Page Down work in a long list, and deleting old rows focuses the next one`()
    async throws
  {
    try await Scene.run(with: Self.clips) { scene in
      try await scene.parkMouse()
      // The oldest row is loaded shortly after the first frame.
      try await waitUntil("the oldest row copied", every: .milliseconds(100)) {
        try await scene.desktop.press("End", "Return")
        return try await eventually(within: .milliseconds(500)) { try await scene.copiedRow() == 1 }
      }
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
      try await scene.desktop.press("End", "Up", "Up", "Up", "Delete", "KP_Delete", "KP_Enter")
      try await scene.expectClipboard("row 2")
      // Deleting the oldest row focuses the row above.
      try await scene.desktop.press("End", "Delete", "Delete", "Return")
      try await scene.expectClipboard("row 5")
      #expect(try await eventually { try await scene.history.count() == Self.count - 4 })
      #expect(try await scene.history.query("SELECT group_concat(id) FROM clip WHERE id < 7") == "5,6")
    }
  }
}

extension Scene {
  /// The number of the row on the clipboard.
  fileprivate func copiedRow() async throws -> Int? {
    guard let text = try await desktop.paste() else { return nil }
    return Int(String(decoding: text, as: UTF8.self).dropFirst("row ".count))
  }
}
