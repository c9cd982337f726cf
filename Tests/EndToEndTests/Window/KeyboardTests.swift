import TestSupport
import Testing

/// Keyboard shortcuts in several layouts and under fast repetition.
@Suite struct KeyboardTests {
  static let clips = (1...12).map { "row \($0)" }

  @Test func `ten quick presses of Ctrl+X delete ten rows and leave the last row on the clipboard`()
    async throws
  {
    try await Scene.run(with: Self.clips) { scene in
      try await scene.press(["Home"] + Array(repeating: "ctrl+x", count: 10))
      #expect(try await eventually { try await scene.history.texts() == ["row 2", "row 1"] })
      try await scene.expectClipboard("row 3")
      try await scene.press(Array(repeating: "ctrl+z", count: 10))
      #expect(try await eventually { try await scene.history.count() == 12 })
      try await scene.expectFocusedRowCopied("row 12")
    }
  }

  @Test func `Ctrl with a digit copies and focuses the nth newest row, and a digit alone has no effect`()
    async throws
  {
    try await Scene.run(with: Self.clips) { scene in
      for (key, row) in [("ctrl+1", 12), ("ctrl+9", 4), ("ctrl+KP_3", 10), ("ctrl+4", 9)] {
        // Press End first, so that the focus is elsewhere.
        try await scene.desktop.press("End", key)
        try await scene.expectClipboard("row \(row)")
      }
      try await scene.desktop.press("Down", "Return")
      try await scene.expectClipboard("row 8")
      try await scene.desktop.press("Home", "3", "KP_5")
      try await scene.expectFocusedRowCopied("row 12")
      #expect(try await scene.history.count() == 12)
    }
  }

  @Test
  func `Ctrl with the number of the last row copies that row, and Ctrl with a higher digit does nothing`()
    async throws
  {
    try await Scene.run(with: ["one", "two", "three"]) { scene in
      try await scene.desktop.press("ctrl+3")
      try await scene.expectClipboard("one")
      try await scene.desktop.press("ctrl+4", "ctrl+2")
      try await scene.expectClipboard("two")
      #expect(try await scene.history.count() == 3)
    }
  }

  /// The test presses keys by X keycode; on an English keyboard 10 is 1, 53 is X, 54 is C, 55 is V and 52 is Z.
  @Test func `keyboard shortcuts work in non-Latin layouts and in layouts whose digits need Shift`()
    async throws
  {
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
      for (layout, place, row) in [("fr", 11, 11), ("cz", 13, 9)] {
        try await scene.useLastGroup(of: layout)
        try await scene.pressWithControl(code: place)
        try await scene.expectClipboard("row \(row)")
        try await scene.desktop.xdotool("keydown", "50")
        try await scene.pressWithControl(code: place + 1)
        try await scene.desktop.xdotool("keyup", "50")
        try await scene.expectClipboard("row \(row - 1)")
      }
    }
  }

  @Test func `a capture leaves the focus on the row that the user chose`() async throws {
    try await Scene.run(with: ["oldest", "middle", "newest"]) { scene in
      try await scene.parkMouse()
      try await scene.desktop.press("Home", "Down")
      try await scene.capture("other")
      try await scene.desktop.press("Return")
      try await scene.expectClipboard("middle")
    }
  }
}

extension Scene {
  /// Sets the keyboard layouts and switches to the last layout.
  fileprivate func useLastGroup(of layouts: String) async throws {
    let result = try await desktop.run([
      "setxkbmap", "-layout", layouts, "-option", "grp:shifts_toggle",
    ])
    guard result.exit == .code(0) else { throw TestSupportError("setxkbmap: \(result.errors)") }
    // Press both Shift keys, by keycode.
    if layouts.contains(",") { try await desktop.xdotool("keydown", "50", "key", "62", "keyup", "50") }
  }

  /// Presses the key with this keycode together with Ctrl.
  fileprivate func pressWithControl(code: Int) async throws {
    try await desktop.xdotool("keydown", "37", "key", "\(code)", "keyup", "37")
  }
}
