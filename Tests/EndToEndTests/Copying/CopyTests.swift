import TestSupport
import Testing

/// Rows copied with the keyboard.
@Suite struct CopyTests {
  /// Reading the text takes longer than closing the window, and only the pending copy keeps the program alive.
  @Test func `closing the window immediately does not stop a copy of 16 MiB`() async throws {
    try await Scene.run { scene in
      let text = Scene.text(ofSize: 16 << 20)
      try await scene.capture(text)
      try await scene.capture("small")
      try await scene.focusNewestRow()
      let result = try await scene.desktop.run(["xdotool", "key", "--delay", "0", "Down", "Return", "Escape"])
      #expect(result.exit == .code(0))
      try await waitUntil("the window hidden") { try await !scene.app.window.isVisible() }
      #expect(try await eventually { try await scene.desktop.paste() == Array(text.utf8) })
      // A program that is exiting would not show a window again.
      #expect(try await scene.desktop.copypasta().exit == .code(0))
      try await waitUntil("the window shown") { try await scene.app.window.isVisible() }
      #expect(scene.app.program.isRunning)
    }
  }

  @Test func `Enter copies the focused row, even the oldest row`() async throws {
    try await Scene.run(with: ["oldest", "middle", "newest"]) { scene in
      try await scene.desktop.press("Home", "Down", "KP_Enter")
      try await scene.expectClipboard("middle")
      try await scene.desktop.press("End", "Return")
      try await scene.expectClipboard("oldest")
    }
  }

  @Test func `copying ten rows quickly leaves the last row on the clipboard`() async throws {
    try await Scene.run(with: (1...10).map { "row \($0)" }) { scene in
      try await scene.desktop.press("Home")
      var keys = ["key", "Return"]
      for _ in 2...10 { keys += ["Down", "Return"] }
      let result = try await scene.desktop.run(["xdotool"] + keys)
      #expect(result.exit == .code(0))
      try await scene.expectClipboard("row 1")
      #expect(try await scene.history.count() == 10)
      // None of the nine earlier copies arrives late.
      try await scene.capture("after")
      try await scene.expectClipboard("after")
    }
  }
}
