import TestSupport
import Testing

/// Misbehaving selection owners cause a message but no wrong clip or leak, and the next copy is recorded.
///
/// All owners of a test use the same window, one after another.
///
/// `ReaderTests` and `OwnerChangeTests` test how owners on X11 are read. On Wayland, only this suite tests how GDK reads.
@Suite(.keepsPictures, .tags(.skipsSecrets, .survivesOthers)) struct MisbehavingOwnerTests {
  @Test func `the window shows why a selection owner's text was refused, and the next copy is recorded`()
    async throws
  {
    try await Scene.run(on: .wayland, accessibility: true) { scene in
      let reader = try await ScreenReader.listening(on: scene.desktop)
      var heard = 0
      try await scene.expectHarmless(OwnerCase.all) { owner, process in
        guard case .refused(let message) = owner.outcome else {
          return try await waitUntil("\(owner) asked") { try await scene.hasAskedAll(of: process) }
        }
        // Wait for the announcement first, because reading the whole window repeatedly takes much processor time.
        try await waitUntil("\(owner): \(message) announced") {
          reader.heard.dropFirst(heard).contains { $0.contains(message) }
        }
        heard = reader.heard.count
        try await waitUntil("\(owner): \(message)") {
          try await reader.tree().all(role: "label").contains { $0.name.contains(message) }
        }
      }
    }
  }

  /// Another window takes the focus as soon as the owner receives a request.
  @Test
  func `a misbehaving selection owner causes no wrong clip or leak if the focus is lost during the read`()
    async throws
  {
    try await Scene.run(on: .wayland) { scene in
      let other = try await scene.desktop.openOtherWindow()
      try await scene.app.window.activate()
      try await scene.expectHarmless(OwnerCase.interrupted) { owner, process in
        try await waitUntil("\(owner) asked") { !process.requests.isEmpty }
        try await other.activate()
        try await waitUntil("the other window active") { try await !scene.app.window.isActive() }
        try await scene.app.window.activate()
        // An owner that still runs receives the requests again.
        if case .ignored = owner.outcome {
          try await waitUntil("\(owner) asked again") { try await scene.hasAskedAll(of: process) }
        }
      }
    }
  }

  /// A compositor does not notify a window without the focus when the owner exits.
  @Test func `if the window loses the focus during a transfer, the text is recorded whole or not at all`()
    async throws
  {
    try await Scene.run(on: .wayland) { scene in
      let other = try await scene.desktop.openOtherWindow()
      try await scene.app.window.activate()
      let long = try await ClipboardOwner.start(behaving: "Long", on: scene.desktop)
      try await long.program.waitUntil("the transfer started") { $0.contains("piece") }
      try await other.activate()
      try await waitUntil("the other window active") { try await !scene.app.window.isActive() }
      // The text is read again.
      try await scene.app.window.activate()
      let text = String(repeating: "abc", count: 20_000)
      try await scene.expectNewest(text)

      try await scene.loseFocusToOwnerThatDies(other)
      try await scene.app.window.activate()
      try await scene.record("good")
      #expect(try await scene.history.texts() == ["good", text])
      // When it exits, the program first waits for the end of the transfer.
      try await scene.loseFocusToOwnerThatDies(other)
      try await scene.end()
      #expect(try await scene.history.texts() == ["good", text])
    }
  }
}

extension Scene {
  /// Lets owners take the clipboard one after another, with a good copy after each; expects only valid texts and no
  /// leaks.
  ///
  /// - Parameter meet: waits until an owner has shown its behaviour.
  fileprivate func expectHarmless(
    _ owners: [OwnerCase], _ meet: (OwnerCase, ClipboardOwner) async throws -> Void
  ) async throws {
    // Record a first text, so that every connection is open.
    try await capture("before")
    let (channels, kibibytes) = (
      try #require(app.program.openChannels), try #require(app.program.residentKibibytes)
    )
    var texts = ["before"]
    for (number, owner) in owners.enumerated() {
      let process = try await ClipboardOwner.start(behaving: owner.behaviour, on: desktop)
      try await meet(owner, process)
      if case .recorded(let text) = owner.outcome {
        try await expectNewest(text)
        texts.insert(text, at: 0)
      }
      try await record("good \(number)")
      texts.insert("good \(number)", at: 0)
      #expect(try await history.texts() == texts, "\(owner)")
    }
    let isClosed = try await eventually { (app.program.openChannels ?? 0) <= channels }
    #expect(isClosed, "channels are left open")
    // Allow for a few more rows and pictures, which are far smaller than a refused text.
    let isSmall = try await eventually { (app.program.residentKibibytes ?? 0) < kibibytes + 32 << 10 }
    #expect(isSmall, "memory is not released")
  }

  /// Whether an owner has received all the requests that are expected.
  fileprivate func hasAskedAll(of owner: ClipboardOwner) async throws -> Bool {
    let metadata = ["TARGETS", "x-kde-passwordManagerHint"]
    let asked = owner.lines.dropFirst()
    // An owner that swaps in a secret must have done so before the test's next copy.
    if owner.program.arguments.last == "SecretAfterHint" { return asked.contains("swapped") }
    return asked.contains { !metadata.contains($0) || $0 == metadata[1] }
  }

  /// Lets an owner send half a text, and makes it exit once the other window has the focus.
  fileprivate func loseFocusToOwnerThatDies(_ other: DesktopWindow) async throws {
    let dying = try await ClipboardOwner.start(behaving: "DieLate", on: desktop)
    try await dying.program.waitUntil("the transfer started") { $0.contains("piece") }
    try await other.activate()
    try await waitUntilInactive()
    _ = try await dying.program.waitForExit()
  }
}
