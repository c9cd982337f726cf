import TestSupport
import Testing

/// What is taken of an offer, and which offers are left alone.
@Suite(.serialized) struct CaptureOffersTests {
  @Test func ofHTMLAndTextTheTextIsTaken() async throws {
    try await Scene.run { scene in
      let owner = try await ClipboardOwner.start(
        offering: .html("<b>rich</b>"), .text("plain"), on: scene.desktop)
      try await scene.expectNewest("plain")
      #expect(owner.contentRequests.count == 1 && !owner.contentRequests.contains("text/html"))
    }
  }

  @Test func ofFilesAndTextTheTextIsTaken() async throws {
    try await Scene.run { scene in
      let owner = try await ClipboardOwner.start(
        offering: .files("/tmp/a", "/tmp/b"), .text("/tmp/a\n/tmp/b"), on: scene.desktop)
      try await scene.expectNewest("/tmp/a\n/tmp/b")
      #expect(!owner.contentRequests.contains("text/uri-list"))
    }
  }

  @Test func anImageIsIgnoredAndNothingOfItIsRequested() async throws {
    try await Scene.run { scene in
      let before = try await scene.settledScreenshot()
      let owner = try await ClipboardOwner.start(offering: .image, on: scene.desktop)
      // GTK asks, and the reader.
      try await waitUntil("the formats asked for") { owner.requests.count { $0 == "TARGETS" } >= 2 }
      try await scene.expectNothing(of: owner)
      let edge = Rectangle(x: 10, y: 590, width: 400, height: 40)
      #expect(try await scene.screenshot().matches(before, in: edge), "no message")
      #expect(try await scene.history.texts() == ["after"])
    }
  }

  @Test func aSecretIsNeverRequestedNorRecorded() async throws {
    try await Scene.run { scene in
      let owner = try await ClipboardOwner.start(
        offering: .text("password"), .hint("secret"), on: scene.desktop)
      try await waitUntil("the hint asked for") { owner.requests.contains("x-kde-passwordManagerHint") }
      try await scene.expectNothing(of: owner)
      #expect(try await scene.history.texts() == ["after"])
    }
  }

  @Test func aHintOfAnotherValueIsNoSecret() async throws {
    try await Scene.run { scene in
      _ = try await ClipboardOwner.start(offering: .text("public"), .hint("public"), on: scene.desktop)
      try await scene.expectNewest("public")
    }
  }

  @Test func anOwnerThatNeverAnswersDoesNotHoldUpTheNextCapture() async throws {
    try await Scene.run { scene in
      let silent = try await ClipboardOwner.start(offering: .silentText, on: scene.desktop)
      try await waitUntil("the text asked for") { !silent.contentRequests.isEmpty }
      try await scene.capture("good")
      try await scene.capture("better")
      #expect(try await scene.history.texts() == ["better", "good"])
    }
  }

  @Test func anOwnerThatEndsWithoutAnsweringCostsNothing() async throws {
    try await Scene.run { scene in
      let silent = try await ClipboardOwner.start(offering: .silentText, on: scene.desktop)
      try await waitUntil("the text asked for") { !silent.contentRequests.isEmpty }
      try await silent.program.killNow()
      try await scene.capture("good")
      #expect(try await scene.history.texts() == ["good"])
    }
  }
}

extension Scene {
  /// Lets a later copy be recorded, after which it is certain that this owner was asked for no content.
  fileprivate func expectNothing(of owner: ClipboardOwner) async throws {
    try await capture("after")
    #expect(try await owner.program.waitForExit() == .code(0))
    #expect(owner.contentRequests == [])
  }
}
