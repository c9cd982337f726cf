import TestSupport
import Testing

/// A deletion can be undone for a few seconds, which restores the clip to its old position.
@Suite struct UndoTests {
  static let clips = (1...8).map { "row \($0)" }
  static let reversed = [String](clips.reversed())

  @Test(arguments: VirtualDesktop.Kind.all)
  func `Ctrl+Z restores and focuses the deleted row`(_ kind: VirtualDesktop.Kind) async throws {
    try await Scene.run(on: kind, with: Self.clips) { scene in
      try await scene.desktop.press("Home", "Down", "Down", "Delete")
      #expect(try await eventually { try await scene.history.count() == 7 })
      try await scene.desktop.press("End", "ctrl+z")
      #expect(try await eventually { try await scene.history.texts() == Self.reversed })
      try await scene.expectFocusedRowCopied("row 6")
    }
  }

  @Test func `the undo bar does not cover the focused row at the end of the list`() async throws {
    try await Scene.run(with: (1...30).map { "row \($0)" }) { scene in
      try await scene.parkMouse()
      var seen = ""
      // Repeat the keys if no picture shows the bar together with the focus frame, which GTK hides after 3 s.
      let isClear = try await waitFor("the undo bar and the focused row") { () -> Bool? in
        var isClear: Bool?
        try await scene.desktop.press("End", "Delete")
        // The row scrolls a few frames after the bar has appeared, and may be covered until then.
        _ = try await eventually(within: .seconds(20)) {
          let picture = try await scene.screenshot()
          let frame = picture.focusFrame()
          // The bar is dark and centred.
          let bar = (0..<picture.height).first { y in
            let colour = picture.colour(x: Scene.undoBar.x + 40, y: y)
            return colour.red < 70 && colour.green < 70 && colour.blue < 70 && y > frame.lowerBound + 30
          }
          guard frame.count > 30, let bar else { return isClear != nil }
          // Judge only pictures of the bar at rest, because a bar that is still sliding in is below the row.
          let state = "\(frame), bar at \(bar)"
          defer { seen = state }
          guard state == seen else { return false }
          isClear = frame.upperBound <= bar
          return isClear == true
        }
        return isClear
      }
      #expect(isClear, "\(seen)")
    }
  }
}

extension Scene {
  /// The middle of the undo bar, at the lower edge of the window.
  static let undoBar = Rectangle(x: 160, y: 585, width: 160, height: 30)

  /// Expects Enter to copy this text, which means that its row has the focus.
  func expectFocusedRowCopied(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) async throws
  {
    // Repeat the key, because the row is in the store before it is in the list and focused.
    var seen: [UInt8]?
    let isCopied = try await eventually {
      try await desktop.press("Return")
      return try await eventually(within: .seconds(1)) {
        seen = try await desktop.paste()
        return seen == Array(text.utf8)
      }
    }
    let found = seen.map { String(decoding: $0.prefix(100), as: UTF8.self) } ?? "nothing"
    #expect(isCopied, "copied: \(found)", sourceLocation: sourceLocation)
  }
}
