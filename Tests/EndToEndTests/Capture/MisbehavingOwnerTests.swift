import Foundation
import TestSupport
import Testing

/// Misbehaving selection owners cause a message but no wrong clip or leak, and the next copy is recorded.
///
/// All owners of a test use the same window, one after another.
///
/// `ReaderTests` and `OwnerChangeTests` test how owners on X11 are read. On Wayland, only this suite tests how GDK reads.
@Suite struct MisbehavingOwnerTests {
  @Test(arguments: [OwnerCase.x11, OwnerCase.wayland])
  func `the window shows why a selection owner's text was refused, and the next copy is recorded`(
    _ owners: [OwnerCase]
  )
    async throws
  {
    try await Scene.run(on: owners[0].kind, accessibility: true) { scene in
      let reader = try await ScreenReader.listening(on: scene.desktop)
      var heard = 0
      try await scene.expectHarmless(owners) { owner, process in
        guard case .refused(let message) = owner.outcome else {
          return try await waitUntil("\(owner) asked") { try await scene.hasAskedAll(of: process) }
        }
        // Wait for the announcement first, because reading the whole window repeatedly takes much processor time.
        try await waitUntil("\(owner): \(message) announced") {
          reader.heard.dropFirst(heard).contains { $0.contains(message) }
        }
        heard = reader.heard.count
        // Successive refusals have different messages, so that the test sees each message appear.
        try await waitUntil("\(owner): \(message)") {
          try await reader.tree().all(role: "label").contains { $0.name.contains(message) }
        }
      }
    }
  }

  @Test func `a slow source application does not block the next copy`() async throws {
    try await Scene.run(on: .wayland) { scene in
      try await scene.expectHarmless(OwnerCase.slow) { owner, process in
        try await waitUntil("\(owner) asked") { try await scene.hasAskedAll(of: process) }
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

  @Test
  func `if a selection owner is replaced during its transfer, either the whole text or no text is recorded`()
    async throws
  {
    try await Scene.run(on: .wayland) { scene in
      try await scene.record("before")
      _ = try await scene.startLongTransfer()
      try await scene.record("good")
      let texts = try await scene.history.texts()
      #expect(texts == ["good", "before"] || texts == ["good", Scene.longText, "before"])
    }
  }

  /// On X11 the transfer runs to its end; on Wayland the text is read again after reactivation.
  @Test(arguments: [VirtualDesktop.Kind.x11, .wayland])
  func `a slow text is recorded once and in full if the window loses the focus during the transfer`(
    _ kind: VirtualDesktop.Kind
  ) async throws {
    try await Scene.run(on: kind) { scene in
      let other = try await scene.desktop.openOtherWindow()
      try await scene.app.window.activate()
      _ = try await scene.startLongTransfer()
      try await other.activate()
      try await waitUntil("the other window active") { try await !scene.app.window.isActive() }
      try await scene.app.window.activate()
      try await scene.expectNewest(Scene.longText)
      try await scene.record("good")
      #expect(try await scene.history.count() == 2)
    }
  }

  /// A compositor does not notify a window without the focus when the owner exits.
  @Test func `a partial text is discarded if its selection owner dies while the window is inactive`()
    async throws
  {
    try await Scene.run(on: .wayland) { scene in
      try await scene.record("before")
      let other = try await scene.desktop.openOtherWindow()
      try await scene.app.window.activate()
      try await scene.loseFocusToOwnerThatDies(other)
      try await scene.app.window.activate()
      try await scene.record("good")
      #expect(try await scene.history.texts() == ["good", "before"])
      // When it exits, the program first waits for the end of the transfer.
      try await scene.loseFocusToOwnerThatDies(other)
      try await scene.end()
      #expect(try await scene.history.texts() == ["good", "before"])
    }
  }

  /// A text above 64 MiB is discarded, but other programs can still paste it from its owner.
  @Test func `a text one byte above the size limit is refused`() async throws {
    try await Scene.run(on: .wayland) { scene in
      let baseline = try await scene.resourceBaseline()
      try await scene.desktop.copy(.repetition(of: "x", count: 64 << 20 + 1))
      try await scene.expectNotice(at: baseline.edge)
      #expect(try await scene.desktop.paste()?.count == 64 << 20 + 1)
      try await scene.record("good")
      #expect(try await scene.history.texts() == ["good", "before"])
      try await scene.expectResources(backTo: baseline)
    }
  }
}

extension Scene {
  /// The text that owners send in a long transfer.
  fileprivate static let longText = String(repeating: "abc", count: 20_000)

  /// Lets owners take the clipboard one after another, with a good copy after each; expects only valid texts and no
  /// leaks.
  ///
  /// - Parameter meet: waits until an owner has shown its behaviour.
  fileprivate func expectHarmless(
    _ owners: [OwnerCase], _ meet: (OwnerCase, ClipboardOwner) async throws -> Void
  ) async throws {
    let baseline = try await resourceBaseline()
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
    try await expectResources(backTo: baseline)
  }

  /// Lets an owner start to send a long text.
  fileprivate func startLongTransfer() async throws -> ClipboardOwner {
    let long = try await ClipboardOwner.start(
      behaving: desktop.kind == .x11 ? "IncrLong" : "Long", on: desktop)
    try await long.program.waitUntil("the transfer started") { $0.contains("piece") }
    return long
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
