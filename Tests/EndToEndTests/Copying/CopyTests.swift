import TestSupport
import Testing

/// Rows copied with mouse and keyboard, byte for byte.
@Suite struct CopyTests {
  static let text = "  whole\ttext,\nwith é, 🍝 and שלום \u{202e}bidi\u{202c}, e\u{301}\r\n\n"

  @Test func `a click copies the whole text in every format`() async throws {
    try await Scene.run(with: [Self.text]) { scene in
      try await scene.clickFirstRow()
      try await scene.expectPasted(Array(Self.text.utf8))
    }
  }

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

extension Scene {
  /// Waits until the text is on the clipboard, and pastes it in every format that programs request.
  fileprivate func expectPasted(_ text: [UInt8], sourceLocation: SourceLocation = #_sourceLocation)
    async throws
  {
    let isThere = try await eventually { try await XClip.paste(on: desktop) == text }
    #expect(isThere, "not on the clipboard", sourceLocation: sourceLocation)
    let offered = try await XClip.targets(on: desktop)
    for target in ["UTF8_STRING", "text/plain;charset=utf-8", "text/plain", "STRING", "TEXT"] {
      #expect(offered.contains(target), "\(target)", sourceLocation: sourceLocation)
      let pasted = try await XClip.paste(target: target, on: desktop)
      #expect(pasted == text, "\(target)", sourceLocation: sourceLocation)
    }
    let pasted = try await XSel.paste(on: desktop)
    #expect(pasted == text, "xsel", sourceLocation: sourceLocation)
  }
}
