import TestSupport
import Testing

/// Keyboard shortcuts in several layouts.
@Suite(.keepsPictures, .tags(.actsOnThePressedRow, .isAccessible)) struct KeyboardTests {
  static let clips = (1...12).map { "row \($0)" }

  @Test(.tags(.copiesByEveryInput))
  func `a digit, alone or with Ctrl, copies and focuses the nth newest row, if any`() async throws {
    try await Scene.run(with: (1...9).map { "row \($0)" }) { scene in
      for (key, row) in [("ctrl+1", 9), ("9", 1), ("ctrl+KP_3", 7), ("KP_2", 8), ("ctrl+4", 6)] {
        // Press End first, so that the focus is elsewhere.
        try await scene.desktop.press("End", key)
        try await scene.expectClipboard("row \(row)")
      }
      for (key, row) in [("Return", 5), ("space", 4)] {
        try await scene.desktop.press("Down", key)
        try await scene.expectClipboard("row \(row)")
      }
      try await scene.desktop.press("Home", "Return")
      try await scene.expectClipboard("row 9")
      try await scene.desktop.press("End", "Delete", "ctrl+9", "9")
      try await scene.expectClipboard("row 9")
      try await scene.desktop.press("8")
      try await scene.expectClipboard("row 2")
      #expect(try await scene.history.count() == 8)
    }
  }

  /// The test presses keys by X keycode; on an English keyboard 10 is 1, 53 is X, 54 is C, 55 is V and 52 is Z.
  @Test func `keyboard shortcuts work in non-Latin layouts and in layouts with other digits`() async throws {
    try await Scene.run(with: Self.clips) { scene in
      for layout in ["us,ru", "us,ara", "us,gr", "us,ir"] {
        try await scene.useLastGroup(of: layout)
        try await scene.desktop.press("Home", "Down")
        try await scene.pressWithControl(code: 54)
        try await scene.expectClipboard("row 11")
        try await scene.pressWithControl(code: 53)
        #expect(try await eventually { try await scene.history.count() == 11 }, "\(layout)")
        try await scene.pressWithControl(code: 52)
        #expect(try await eventually { try await scene.history.count() == 12 }, "\(layout)")
        try await scene.pressWithControl(code: 12)
        try await scene.expectClipboard("row 10")
      }
      for (layout, place, row) in [("fr", 11, 11), ("cz", 13, 9), ("us(dvp)", 11, 11)] {
        try await scene.useLastGroup(of: layout)
        try await scene.pressWithControl(code: place)
        try await scene.expectClipboard("row \(row)")
        try await scene.desktop.xdotool("keydown", "50")
        try await scene.pressWithControl(code: place + 1)
        try await scene.desktop.xdotool("keyup", "50")
        try await scene.expectClipboard("row \(row - 1)")
        try await scene.desktop.xdotool("key", "\(place + 2)")
        try await scene.expectClipboard("row \(row - 2)")
      }
    }
  }
}

extension Scene {
  /// Sets the keyboard layouts and switches to the last layout.
  fileprivate func useLastGroup(of layouts: String) async throws {
    try await desktop.run(["setxkbmap", "-layout", layouts, "-option", "grp:shifts_toggle"]).succeeded()
    // Press both Shift keys, by keycode.
    if layouts.contains(",") { try await desktop.xdotool("keydown", "50", "key", "62", "keyup", "50") }
  }

  /// Presses the key with this keycode together with Ctrl.
  fileprivate func pressWithControl(code: Int) async throws {
    try await desktop.xdotool("keydown", "37", "key", "\(code)", "keyup", "37")
  }
}
