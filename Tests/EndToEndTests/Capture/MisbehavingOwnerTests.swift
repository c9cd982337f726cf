import TestSupport
import Testing

/// Misbehaving selection owners cause a message but no wrong clip or leak, and the next copy is recorded.
///
/// All owners of a test use the same window, one after another.
///
/// `ReaderTests` and `OwnerChangeTests` test how owners on X11 are read. On Wayland, only this suite tests how GDK reads.
@Suite(.keepsPictures, .tags(.skipsSecrets, .survivesOthers)) struct MisbehavingOwnerTests {
  private enum Outcome {
    /// The text is not recorded, and a notice contains this message.
    case refused(String)
    /// The text is not recorded, and no notice is shown.
    case ignored
    /// This text is recorded.
    case recorded(String)
  }

  private static let unread = Outcome.refused("Couldn’t read the copied text")
  private static let invalid = Outcome.refused("not plain text")
  private static let text = Outcome.recorded("the owner's text")

  /// Every way in which an owner can fail, and slow owners that are replaced before they finish.
  private static let owners = [
    ("NoAnswer", unread), ("Die", unread), ("Invalid", invalid), ("DieMidway", unread), ("Stall", unread),
    ("DieMidwayOfMuch", unread), ("Nul", invalid), ("HintUnanswered", unread),
    ("Nothing", .ignored), ("HintRefused", .ignored),
    ("Forms:UTF8_STRING=empty,text/plain;charset=utf-8=served", text),
    ("Forms:text/plain;charset=utf-8=mute,text/plain=served", text),
    ("SecretAfterHint", .ignored), ("NulsAtEnd", text), ("NoAnswer", .ignored), ("Stall", .ignored),
    ("Drip", .ignored),
  ]

  @Test func `the window shows why a selection owner's text was refused, and the next copy is recorded`()
    async throws
  {
    try await Scene.run(on: .wayland, accessibility: true) { scene in
      let reader = try await ScreenReader.listening(on: scene.desktop)
      // Record a first text, so that every connection is open.
      try await scene.capture("before")
      let channels = try scene.app.program.openChannels()
      let kibibytes = try #require(scene.app.program.residentKibibytes)
      var texts = ["before"]
      for (number, (behaviour, outcome)) in Self.owners.enumerated() {
        let heard = reader.heard.count
        let owner = try await ClipboardOwner.start(behaving: behaviour, on: scene.desktop)
        switch outcome {
        case .refused(let message):
          // Wait for the announcement first, because reading the whole window repeatedly takes much processor time.
          try await waitUntil("\(behaviour): \(message) announced") {
            reader.heard.dropFirst(heard).contains { $0.contains(message) }
          }
          try await waitUntil("\(behaviour): \(message)") {
            try await reader.tree().all(role: "label").contains { $0.name.contains(message) }
          }
        case .ignored:
          // An owner that swaps in a secret must have done so before the next copy.
          try await waitUntil("\(behaviour) asked") {
            behaviour == "SecretAfterHint" ? owner.lines.contains("swapped") : !owner.requests.isEmpty
          }
        case .recorded(let text):
          try await scene.expectNewest(text)
          texts.insert(text, at: 0)
        }
        try await scene.record("good \(number)")
        texts.insert("good \(number)", at: 0)
        #expect(try await scene.history.texts() == texts, "\(behaviour)")
      }
      let isClosed = try await eventually { try scene.app.program.openChannels() <= channels }
      #expect(isClosed, "channels are left open")
      // Allow for a few more rows and pictures, which are far smaller than a refused text.
      let isSmall = try await eventually { (scene.app.program.residentKibibytes ?? 0) < kibibytes + 32 << 10 }
      #expect(isSmall, "memory is not released")
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
  /// Lets an owner send half a text, and makes it exit once the other window has the focus.
  fileprivate func loseFocusToOwnerThatDies(_ other: DesktopWindow) async throws {
    let dying = try await ClipboardOwner.start(behaving: "DieLate", on: desktop)
    try await dying.program.waitUntil("the transfer started") { $0.contains("piece") }
    try await other.activate()
    try await waitUntilInactive()
    _ = try await dying.program.waitForExit()
  }
}
