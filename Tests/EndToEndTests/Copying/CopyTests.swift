import Glibc
import TestSupport
import Testing

/// A row that is copied while its window closes, or while another program's text is being read.
@Suite(.keepsPictures) struct CopyTests {
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

  /// The other program's text is not lost.
  @Test(arguments: VirtualDesktop.Kind.everywhere)
  func `a click that activates the window copies the row, and the text copied elsewhere is recorded`(
    _ kind: VirtualDesktop.Kind
  ) async throws {
    try await Scene.run(on: kind, with: ["old", "new"], accessibility: true) { scene in
      let other = try await scene.openOtherWindow()
      let reader = try await ScreenReader.listening(on: scene.desktop)
      let slow = try await ClipboardOwner.start(behaving: "Slow", on: scene.desktop)
      // Stop the program, so that it handles the focus and the click together, as a busy program does.
      scene.app.program.signal(SIGSTOP)
      try await scene.clickFirstRow()
      scene.app.program.signal(SIGCONT)
      // Another requestor may query the owner first, so on a busy machine the owner may list its formats too late.
      let isAsked = try await waitFor("the owner asked, or replaced") { slow.contentRequests.first } != "lost"
      try await scene.expectClipboard("new")
      guard isAsked else { return try await reader.waitToHear("Copy it again.") }
      try await scene.expectNewest("the owner's text")
      // Neither text is recorded a second time.
      try await other.activate()
      try await scene.waitUntilInactive()
      try await scene.app.window.activate()
      try await scene.capture("after")
      #expect(try await scene.history.texts() == ["after", "the owner's text", "new", "old"])
    }
  }
}
