import Glibc
import TestSupport
import Testing

/// Another program's text that is still being read is not lost when a row is copied.
@Suite struct CopyDuringReadTests {
  @Test(arguments: VirtualDesktop.Kind.everywhere)
  func `a click that activates the window copies the row, and the text copied elsewhere is recorded`(
    _ kind: VirtualDesktop.Kind
  ) async throws {
    try await Scene.run(on: kind, with: ["old", "new"]) { scene in
      let other = try await scene.openOtherWindow()
      let edge = try await scene.watchEdge()
      let slow = try await ClipboardOwner.start(behaving: "Slow", on: scene.desktop)
      // Stop the program, so that it handles the focus and the click together, as a busy program does.
      scene.app.program.signal(SIGSTOP)
      try await scene.clickFirstRow()
      scene.app.program.signal(SIGCONT)
      // Another requestor may query the owner first, so on a busy machine the owner may list its formats too late.
      let isAsked = try await waitFor("the owner asked, or replaced") { slow.contentRequests.first } != "lost"
      try await scene.expectClipboard("new")
      guard isAsked else { return try await scene.expectNotice(at: edge) }
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
