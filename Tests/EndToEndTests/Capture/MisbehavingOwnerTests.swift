import Foundation
import TestSupport
import Testing

/// A misbehaving source application adds no wrong clip, causes a message, leaks no resources and does not prevent the
/// next capture.
@Suite struct MisbehavingOwnerTests {
  @Suite struct X11 {
    @Test(arguments: OwnerCase.x11)
    func `on X11 a misbehaving source application affects neither the history nor the next copy`(
      _ owner: OwnerCase
    ) async throws {
      try await MisbehavingOwnerTests.check(owner)
    }
  }

  @Suite struct Wayland {
    @Test(arguments: OwnerCase.wayland)
    func `on Wayland a misbehaving source application affects neither the history nor the next copy`(
      _ owner: OwnerCase
    ) async throws {
      try await MisbehavingOwnerTests.check(owner)
    }
  }

  @Suite struct Replacement {
    @Test(arguments: OwnerCase.slow)
    func `a slow source application does not block the next copy`(_ owner: OwnerCase) async throws {
      try await Scene.run(on: owner.kind) { scene in
        let baseline = try await scene.resourceBaseline()
        let slow = try await ClipboardOwner.start(behaving: owner.behaviour, on: scene.desktop)
        try await waitUntil("the owner asked") { try await scene.hasAskedAll(of: slow) }
        let time = try await ContinuousClock().measure { try await scene.capture("good") }
        print("\(owner.testDescription): the next copy was recorded after \(time)")
        #expect(try await scene.history.texts() == ["good", "before"])
        try await scene.expectResources(backTo: baseline)
      }
    }

    /// Either the whole text is recorded or none of it.
    @Test(arguments: VirtualDesktop.Kind.everywhere)
    func `replacing the source application during a transfer records no partial text`(
      _ kind: VirtualDesktop.Kind
    )
      async throws
    {
      try await Scene.run(on: kind) { scene in
        let baseline = try await scene.resourceBaseline()
        let long = try await ClipboardOwner.start(
          behaving: kind == .x11 ? "IncrLong" : "Long", on: scene.desktop)
        try await waitUntil("the transfer started") { long.lines.contains("piece") }
        try await scene.capture("good")
        let whole = String(repeating: "abc", count: 20_000)
        let texts = try await scene.history.texts()
        #expect(texts == ["good", "before"] || texts == ["good", whole, "before"])
        try await scene.expectResources(backTo: baseline)
      }
    }
  }

  /// Another window takes the focus as soon as the owner receives a request.
  @Suite struct FocusLoss {
    @Test(arguments: OwnerCase.interrupted)
    func `a misbehaving transfer does no harm if the window loses the focus meanwhile`(_ owner: OwnerCase)
      async throws
    {
      try await Scene.run(on: owner.kind) { scene in
        let baseline = try await scene.resourceBaseline()
        let other = try await scene.desktop.openOtherWindow()
        try await scene.app.window.activate()
        let bad = try await ClipboardOwner.start(behaving: owner.behaviour, on: scene.desktop)
        try await waitUntil("the owner asked") { !bad.requests.isEmpty }
        try await other.activate()
        try await waitUntil("the other window active") { try await !scene.app.window.isActive() }
        try await scene.app.window.activate()
        // A complete text was recorded before the loss of the focus, or is read again.
        switch owner.outcome {
        case .recorded(let text): try await scene.expectNewest(text)
        case .ignored: try await waitUntil("the owner asked again") { try await scene.hasAskedAll(of: bad) }
        case .refused: break
        }
        try await scene.capture("good")
        var texts = ["good", "before"]
        if case .recorded(let text) = owner.outcome { texts.insert(text, at: 1) }
        #expect(try await scene.history.texts() == texts)
        try await scene.expectResources(backTo: baseline)
      }
    }

    /// A compositor does not notify a window without the focus when the owner exits.
    @Test func `a partial text is discarded if its source application dies during focus loss`() async throws {
      try await Scene.run(on: .wayland) { scene in
        let baseline = try await scene.resourceBaseline()
        let other = try await scene.desktop.openOtherWindow()
        try await scene.app.window.activate()
        let dying = try await ClipboardOwner.start(behaving: "DieLate", on: scene.desktop)
        try await waitUntil("the transfer started") { dying.lines.contains("piece") }
        try await other.activate()
        _ = try await dying.program.waitForExit()
        try await scene.app.window.activate()
        try await scene.capture("good")
        #expect(try await scene.history.texts() == ["good", "before"])
        try await scene.expectResources(backTo: baseline)
      }
    }

    /// The program finishes the transfer before it exits.
    @Test func `a transfer cut short while the window is inactive is not recorded`() async throws {
      try await Scene.run(on: .wayland) { scene in
        try await scene.capture("before")
        let other = try await scene.desktop.openOtherWindow()
        try await scene.app.window.activate()
        let dying = try await ClipboardOwner.start(behaving: "DieLate", on: scene.desktop)
        try await waitUntil("the transfer started") { dying.lines.contains("piece") }
        try await other.activate()
        try await scene.waitUntilInactive()
        _ = try await dying.program.waitForExit()
        try await scene.end()
        #expect(try await scene.history.texts() == ["before"])
      }
    }

    /// On X11 the transfer runs to its end; on Wayland the text is read again after reactivation.
    @Test(arguments: VirtualDesktop.Kind.everywhere)
    func `a slow text is recorded whole and once if the window loses the focus meanwhile`(
      _ kind: VirtualDesktop.Kind
    ) async throws {
      try await Scene.run(on: kind) { scene in
        let baseline = try await scene.resourceBaseline()
        let other = try await scene.desktop.openOtherWindow()
        try await scene.app.window.activate()
        let long = try await ClipboardOwner.start(
          behaving: kind == .x11 ? "IncrLong" : "Long", on: scene.desktop)
        try await waitUntil("the transfer started") { long.lines.contains("piece") }
        try await other.activate()
        try await waitUntil("the other window active") { try await !scene.app.window.isActive() }
        try await scene.app.window.activate()
        try await scene.expectNewest(String(repeating: "abc", count: 20_000))
        try await scene.capture("good")
        #expect(try await scene.history.count() == 3)
        try await scene.expectResources(backTo: baseline)
      }
    }
  }

  /// A text above 64 MiB is discarded, but other programs can still paste it from its owner.
  @Test(arguments: VirtualDesktop.Kind.everywhere)
  func `a text one byte above the size limit is refused`(_ kind: VirtualDesktop.Kind) async throws {
    try await Scene.run(on: kind) { scene in
      let baseline = try await scene.resourceBaseline()
      let text = String(repeating: "x", count: 64 << 20 + 1)
      try await scene.desktop.copy(text)
      try await scene.expectNotice(at: baseline.edge)
      #expect(try await scene.desktop.paste()?.count == 64 << 20 + 1)
      try await scene.capture("good")
      #expect(try await scene.history.texts() == ["good", "before"])
      try await scene.expectResources(backTo: baseline)
    }
  }

  @Test(arguments: VirtualDesktop.Kind.everywhere)
  func `a source application killed before sending its text is reported`(_ kind: VirtualDesktop.Kind)
    async throws
  {
    try await Scene.run(on: kind) { scene in
      let baseline = try await scene.resourceBaseline()
      let silent = try await ClipboardOwner.start(offering: .silentText, on: scene.desktop)
      try await waitUntil("the text requested") { !silent.contentRequests.isEmpty }
      try await silent.program.killNow()
      try await scene.expectNotice(at: baseline.edge)
      try await scene.capture("good")
      #expect(try await scene.history.texts() == ["good", "before"])
      try await scene.expectResources(backTo: baseline)
    }
  }

  @Test func `the message about a refused text disappears automatically`() async throws {
    try await Scene.run { scene in
      let edge = try await scene.watchEdge()
      _ = try await ClipboardOwner.start(behaving: "Refuse", on: scene.desktop)
      try await scene.expectNotice(at: edge)
      #expect(try await eventually { edge.lines.last == edge.lines.first })
    }
  }

  private nonisolated(nonsending) static func check(_ owner: OwnerCase) async throws {
    try await Scene.run(on: owner.kind) { scene in
      let baseline = try await scene.resourceBaseline()
      let bad = try await ClipboardOwner.start(behaving: owner.behaviour, on: scene.desktop)
      var texts = ["before"]
      switch owner.outcome {
      case .refused: try await scene.expectNotice(at: baseline.edge)
      case .ignored: try await waitUntil("the owner asked") { try await scene.hasAskedAll(of: bad) }
      case .recorded(let text):
        try await scene.expectNewest(text)
        texts.insert(text, at: 0)
      }
      try await scene.capture("good")
      #expect(try await scene.history.texts() == ["good"] + texts)
      try await scene.expectResources(backTo: baseline)
    }
  }
}
