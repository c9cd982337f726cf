import TestSupport
import Testing

/// A copied row whose window closes before its text is read.
@Suite struct CopyTests {
  /// Reading the text takes longer than closing the window, and only the pending copy keeps the program alive.
  @Test func `closing the window immediately does not stop a copy of 16 MiB`() async throws {
    try await Scene.run { scene in
      let text = Scene.text(ofSize: 16 << 20)
      try await scene.capture(text)
      try await scene.capture("small")
      try await scene.focusNewestRow()
      try await scene.desktop.xdotool("key", "--delay", "0", "Down", "Return", "Escape")
      try await waitUntil("the window hidden") { try await !scene.app.window.isVisible() }
      #expect(try await eventually { try await scene.desktop.paste() == Array(text.utf8) })
      // A program that is exiting would not show a window again.
      #expect(try await scene.desktop.copypasta().exit == .code(0))
      try await waitUntil("the window shown") { try await scene.app.window.isVisible() }
      #expect(scene.app.program.isRunning)
    }
  }
}
