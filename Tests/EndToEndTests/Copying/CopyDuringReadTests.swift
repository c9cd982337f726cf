import Glibc
import TestSupport
import Testing

/// Another program's text that is still being read is not lost when a row is copied.
@Suite struct CopyDuringReadTests {
  static let kinds = VirtualDesktop.Kind.everywhere
  private static let text = "the owner's text"

  @Test(arguments: kinds, ["false", "true"])
  func `copying a row during a read still records the text being read`(
    _ kind: VirtualDesktop.Kind, hidesAfterCopying: String
  ) async throws {
    try await Scene.run(on: kind, with: ["old", "new"]) { scene in
      try scene.desktop.home.set(["hide-after-copying": hidesAfterCopying])
      let slow = try await ClipboardOwner.start(behaving: "Slow", on: scene.desktop)
      try await waitUntil("the owner asked", every: .milliseconds(10)) { !slow.contentRequests.isEmpty }
      // Click instead of pressing a key, because a new virtual keyboard makes sway send the focus and the offer again.
      try await scene.clickFirstRow()
      try await scene.expectClipboard("new")
      try await scene.expectNewest(Self.text)
      if hidesAfterCopying == "true" { return }
      // Neither text is recorded a second time.
      try await scene.openOtherWindow()
      try await scene.app.window.activate()
      try await scene.capture("after")
      #expect(try await scene.history.texts() == ["after", Self.text, "new", "old"])
    }
  }

  @Test(arguments: kinds)
  func `a click that activates the window copies the row, and the text copied elsewhere is recorded`(
    _ kind: VirtualDesktop.Kind
  ) async throws {
    try await Scene.run(on: kind, with: ["old", "new"]) { scene in
      try await scene.openOtherWindow()
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
      try await scene.expectNewest(Self.text)
      #expect(try await scene.history.texts() == [Self.text, "new", "old"])
    }
  }

  /// The source application ends, instead of sending its text, when another program takes the clipboard.
  @Test func `copying a row shows a message if the text of the replaced source application is lost`()
    async throws
  {
    try await Scene.run(on: .wayland, with: ["new"]) { scene in
      let edge = try await scene.watchEdge()
      let slow = try await ClipboardOwner.start(behaving: "NoAnswer", on: scene.desktop)
      try await waitUntil("the owner asked", every: .milliseconds(10)) { !slow.requests.isEmpty }
      try await scene.clickFirstRow()
      try await scene.expectClipboard("new")
      try await scene.expectNotice(at: edge)
      #expect(try await scene.history.texts() == ["new"])
    }
  }
}
