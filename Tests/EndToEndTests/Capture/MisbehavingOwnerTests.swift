import Foundation
import TestSupport
import Testing

/// Whatever a selection owner does: no wrong text is recorded, the user sees why, no resource leaks, and the next copy is
/// recorded.
///
/// The owners come one after another in one window. On X11 `ReaderTests` and `OwnerChangeTests` show more of them, and
/// faster; GDK's reads on Wayland have only these.
@Suite struct MisbehavingOwnerTests {
  @Test(arguments: [OwnerCase.x11, OwnerCase.wayland])
  func `the window shows what an owner did, and records the next copy`(_ owners: [OwnerCase]) async throws {
    try await Scene.run(on: owners[0].kind, accessibility: true) { scene in
      let reader = ScreenReader(desktop: scene.desktop)
      try await scene.expectHarmless(owners) { owner, process in
        guard case .refused(let message) = owner.outcome else {
          return try await waitUntil("\(owner) asked") { try await scene.hasAskedAll(of: process) }
        }
        // Successive refusals have different messages, so that each one is seen to come.
        try await waitUntil("\(owner): \(message)") {
          try await reader.tree().all(role: "label").contains { $0.name.contains(message) }
        }
      }
    }
  }

  @Test(arguments: [OwnerCase.slowOnX11, OwnerCase.slowOnWayland])
  func `a slow owner does not hold up the next copy`(_ owners: [OwnerCase]) async throws {
    try await Scene.run(on: owners[0].kind) { scene in
      try await scene.expectHarmless(owners) { owner, process in
        try await waitUntil("\(owner) asked") { try await scene.hasAskedAll(of: process) }
      }
    }
  }

  /// Another window takes the focus as soon as the owner is asked.
  @Test(arguments: [OwnerCase.interruptedOnX11, OwnerCase.interruptedOnWayland])
  func `an owner does no harm if the window loses the focus during the transfer`(_ owners: [OwnerCase])
    async throws
  {
    try await Scene.run(on: owners[0].kind) { scene in
      let other = try await scene.desktop.openOtherWindow()
      try await scene.app.window.activate()
      try await scene.expectHarmless(owners) { owner, process in
        try await waitUntil("\(owner) asked") { !process.requests.isEmpty }
        try await other.activate()
        try await waitUntil("the other window active") { try await !scene.app.window.isActive() }
        try await scene.app.window.activate()
        // An owner that is still there is asked again.
        if case .ignored = owner.outcome {
          try await waitUntil("\(owner) asked again") { try await scene.hasAskedAll(of: process) }
        }
      }
    }
  }

  @Test(arguments: [VirtualDesktop.Kind.x11, .wayland])
  func `an owner that is replaced during the transfer leaves the whole text or none`(
    _ kind: VirtualDesktop.Kind
  ) async throws {
    try await Scene.run(on: kind) { scene in
      try await scene.record("before")
      _ = try await scene.startLongTransfer()
      try await scene.record("good")
      let texts = try await scene.history.texts()
      #expect(texts == ["good", "before"] || texts == ["good", Scene.longText, "before"])
    }
  }

  /// On X11 the end of the transfer is seen; on Wayland the text is read again when the window is active again.
  @Test(arguments: [VirtualDesktop.Kind.x11, .wayland])
  func `a text that comes slowly is recorded whole, once, if the window loses the focus meanwhile`(
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

  /// A compositor does not tell a window without the focus that the owner has ended.
  @Test func `half a text of an owner that dies while the window has no focus is not recorded`() async throws
  {
    try await Scene.run(on: .wayland) { scene in
      try await scene.record("before")
      let other = try await scene.desktop.openOtherWindow()
      try await scene.app.window.activate()
      try await scene.loseFocusToOwnerThatDies(other)
      try await scene.app.window.activate()
      try await scene.record("good")
      #expect(try await scene.history.texts() == ["good", "before"])
      // The program ends when it has judged what came.
      try await scene.loseFocusToOwnerThatDies(other)
      try await scene.end()
      #expect(try await scene.history.texts() == ["good", "before"])
    }
  }

  /// Of more than 64 MiB no part is kept; its owner can still paste it elsewhere.
  @Test(arguments: [VirtualDesktop.Kind.x11, .wayland])
  func `a text of one byte too many is refused`(_ kind: VirtualDesktop.Kind) async throws {
    try await Scene.run(on: kind) { scene in
      let baseline = try await scene.resourceBaseline()
      try await scene.desktop.copy(String(repeating: "x", count: 64 << 20 + 1))
      try await scene.expectNotice(at: baseline.edge)
      #expect(try await scene.desktop.paste()?.count == 64 << 20 + 1)
      try await scene.record("good")
      #expect(try await scene.history.texts() == ["good", "before"])
      try await scene.expectResources(backTo: baseline)
    }
  }
}

extension Scene {
  /// The text of the owners whose transfer takes a while.
  fileprivate static let longText = String(repeating: "abc", count: 20_000)

  /// Has owners take the clipboard one after another, with a copy after each, and expects that only texts of good owners are
  /// recorded, and that nothing stays open.
  ///
  /// - Parameter meet: waits for what an owner is to have done by then.
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

  /// Has an owner begin to send a long text.
  fileprivate func startLongTransfer() async throws -> ClipboardOwner {
    let long = try await ClipboardOwner.start(
      behaving: desktop.kind == .x11 ? "IncrLong" : "Long", on: desktop)
    try await waitUntil("the transfer begun") { long.lines.contains("piece") }
    return long
  }

  /// Has an owner send half a text, and die once the other window has the focus.
  fileprivate func loseFocusToOwnerThatDies(_ other: DesktopWindow) async throws {
    let dying = try await ClipboardOwner.start(behaving: "DieLate", on: desktop)
    try await waitUntil("the transfer begun") { dying.lines.contains("piece") }
    try await other.activate()
    try await waitUntilInactive()
    _ = try await dying.program.waitForExit()
  }
}
