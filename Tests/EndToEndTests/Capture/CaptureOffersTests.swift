import TestSupport
import Testing

/// The format that is read from an offer, and the offers that are ignored.
@Suite(.keepsPictures, .tags(.recordsEveryCopy)) struct CaptureOffersTests {
  @Test(
    .tags(.requestsOnlyText), .enabled(if: Requirement.fileMonitors.isMet, "\(Requirement.fileMonitors)"),
    arguments: VirtualDesktop.Kind.everywhere)
  func `only text is requested and recorded, and a text that is too large shows a notice`(
    _ kind: VirtualDesktop.Kind
  ) async throws {
    try await Scene.run(on: kind, accessibility: true) { scene in
      let reader = try await ScreenReader.listening(on: scene.desktop)
      try scene.desktop.home.set(["size-limit": "1"])
      let rich = try await ClipboardOwner.start(
        offering: .html("<b>rich</b>"), .text("plain"), on: scene.desktop)
      try await scene.expectNewest("plain")
      #expect(rich.contentRequests.count == 1 && !rich.contentRequests.contains("text/html"))

      try await scene.waitForFirstRow()
      let image = try await ClipboardOwner.start(offering: .image, on: scene.desktop)
      // On Wayland the compositor sends the formats unasked.
      if kind == .x11 {
        try await waitUntil("the formats requested") { image.requests.contains("TARGETS") }
      }
      // Once a later copy is recorded, this owner receives no more requests.
      try await scene.capture("after")
      #expect(try await image.program.waitForExit() == .code(0))
      #expect(image.contentRequests == [])
      #expect(!reader.heard.contains { $0.contains("no text") || $0.contains("Couldn’t") })

      try await scene.desktop.copy(.repetition(of: "x", count: (1 << 20) + 1))
      try await reader.waitToHear("Skipped a copy: it is larger than 1 MiB.")

      let files = try await ClipboardOwner.start(
        offering: .files("/tmp/a", "/tmp/b"), .text("/tmp/a\n/tmp/b"), on: scene.desktop)
      try await scene.expectNewest("/tmp/a\n/tmp/b")
      #expect(!files.contentRequests.contains("text/uri-list"))
      #expect(try await scene.history.texts() == ["/tmp/a\n/tmp/b", "after", "plain"])
    }
  }
}
