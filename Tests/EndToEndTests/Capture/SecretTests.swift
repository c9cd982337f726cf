import TestSupport
import Testing

/// A text that a password manager's hint marks as secret is never requested, recorded or held in memory.
@Suite(.keepsPictures, .tags(.skipsSecrets)) struct SecretTests {
  @Test(arguments: VirtualDesktop.Kind.all)
  func `a secret is never requested, recorded or held in memory`(_ kind: VirtualDesktop.Kind) async throws {
    try await Scene.run(on: kind) { scene in
      // Check first that the search finds a recorded text in memory, so that it would also find the secret.
      let marker = "marker-7d1f0c92-"
      try await scene.capture(marker + "recorded")
      try #require(try scene.app.program.memoryContains(marker + "recorded"))

      let owner = try await ClipboardOwner.start(
        offering: .text(marker + "secret"), .hint("secret"), on: scene.desktop)
      try await waitUntil("the hint requested") { owner.requests.contains("x-kde-passwordManagerHint") }
      try await scene.capture("after")
      #expect(try await owner.program.waitForExit() == .code(0))
      #expect(owner.contentRequests == [])
      #expect(try await scene.history.texts() == ["after", marker + "recorded"])
      #expect(try !scene.app.program.memoryContains(marker + "secret"))

      // A text with another hint, or one that a clipboard manager offers again without the hint, is an ordinary text.
      _ = try await ClipboardOwner.start(offering: .text("public"), .hint("public"), on: scene.desktop)
      try await scene.expectNewest("public")
      try await scene.capture(marker + "secret")
    }
  }

  @Test(arguments: [VirtualDesktop.Kind.x11, .wayland])
  func `each skipped secret is announced and shown in the indicator, without its text`(
    _ kind: VirtualDesktop.Kind
  ) async throws {
    try await Scene.run(on: kind, with: ["one"], accessibility: true, mostlyWaits: true) { scene in
      let reader = try await ScreenReader.listening(on: scene.desktop)
      let words = "Secret Skipped"
      func timesSaid() -> Int { reader.heard.count { $0.contains(words) } }
      _ = try await ClipboardOwner.start(offering: .text("hush-hush"), .hint("secret"), on: scene.desktop)
      for times in 1...2 {
        try await waitUntil("the announcement") { timesSaid() == times }
        try await waitUntil("the secret shown by the indicator") {
          try await reader.tree().all.contains { $0.name == words }
        }
        try await waitUntil("the indicator back to normal", every: .milliseconds(500)) {
          try await reader.tree().all.contains { $0.name == "Recording" }
        }
        if times == 1 {
          try await scene.openOtherWindow()
          try await scene.app.window.activate()
        }
      }
      let all = try await reader.tree().all
      #expect(!reader.heard.contains { $0.contains("hush") })
      #expect(!all.contains { $0.name.contains("hush") || $0.description.contains("hush") })
    }
  }
}
