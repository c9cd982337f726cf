import TestSupport
import Testing

/// The format that is read from an offer, and the offers that are ignored.
@Suite struct CaptureOffersTests {
  static let kinds = VirtualDesktop.Kind.everywhere

  @Test(arguments: kinds)
  func `the text is recorded, and HTML or files in the same offer are not requested`(
    _ kind: VirtualDesktop.Kind
  ) async throws {
    try await Scene.run(on: kind) { scene in
      let rich = try await ClipboardOwner.start(
        offering: .html("<b>rich</b>"), .text("plain"), on: scene.desktop)
      try await scene.expectNewest("plain")
      #expect(rich.contentRequests.count == 1 && !rich.contentRequests.contains("text/html"))
      let files = try await ClipboardOwner.start(
        offering: .files("/tmp/a", "/tmp/b"), .text("/tmp/a\n/tmp/b"), on: scene.desktop)
      try await scene.expectNewest("/tmp/a\n/tmp/b")
      #expect(!files.contentRequests.contains("text/uri-list"))
    }
  }

  @Test(arguments: kinds) func `an image on the clipboard is ignored and never requested`(
    _ kind: VirtualDesktop.Kind
  ) async throws {
    try await Scene.run(on: kind) { scene in
      let baseline = try await scene.resourceBaseline()
      let owner = try await ClipboardOwner.start(offering: .image, on: scene.desktop)
      // On Wayland the compositor sends the formats unasked.
      if kind == .x11 {
        try await waitUntil("the formats requested") { owner.requests.contains("TARGETS") }
      }
      // Once a later copy is recorded, this owner receives no more requests.
      try await scene.capture("after")
      #expect(try await owner.program.waitForExit() == .code(0))
      #expect(owner.contentRequests == [])
      #expect(baseline.edge.lines.count == 1, "no message")
      #expect(try await scene.history.texts() == ["after", "before"])
    }
  }
}
