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

  /// On X11 the source application has not listed its formats yet; on Wayland it quits instead of sending its text.
  @Test(arguments: [(.x11, "SlowTargets"), (.wayland, "SlowAndQuit")] as [(VirtualDesktop.Kind, String)])
  func `copying a row shows a message if the text of the replaced source application is lost`(
    _ kind: VirtualDesktop.Kind, owner: String
  ) async throws {
    try await Scene.run(on: kind, with: ["new"]) { scene in
      let edge = try await scene.watchEdge()
      let slow = try await ClipboardOwner.start(behaving: owner, on: scene.desktop)
      try await waitUntil("the owner asked", every: .milliseconds(10)) { !slow.requests.isEmpty }
      try await scene.clickFirstRow()
      try await scene.expectClipboard("new")
      try await scene.expectNotice(at: edge)
      #expect(try await scene.history.texts() == ["new"])
    }
  }

  @Test func `a clipboard manager that takes over copied rows does not cause new rows`() async throws {
    try await Scene.run(with: ["one", "two", "three"]) { scene in
      let manager = try await ClipboardOwner.start(behaving: "Manager", on: scene.desktop)
      try await scene.expectNewest(Self.text)
      let texts = try await scene.history.texts()
      let key = ["Home", "Down", "Down", "End"]
      for round in 0..<Scene.rounds {
        try await scene.desktop.press(key[round % key.count], "Return")
        try await waitUntil("the text taken over", every: .milliseconds(10)) {
          manager.lines.count { $0 == "took over" } > round
        }
      }
      // The clipboard manager takes over this text as well.
      _ = try await ClipboardOwner.start(offering: .text("after"), on: scene.desktop)
      try await scene.expectNewest("after")
      #expect(try await scene.history.texts() == ["after"] + texts)
    }
  }
}
