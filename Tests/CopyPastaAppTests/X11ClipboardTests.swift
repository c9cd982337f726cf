import ClipboardCore
import Synchronization
import TestSupport
import Testing

@testable import CopyPastaApp
@testable import X11Kit

/// CopyPasta's X11 connection for the clipboard.
@MainActor
@Suite(.tags(.recordsEveryCopy)) struct X11ClipboardTests {
  /// A new X server.
  private struct Server {
    let desktop: VirtualDesktop
    let display: String
    /// CopyPasta's clipboard, and what it has delivered.
    let clipboard: X11Clipboard
    let deliveries = Deliveries()
    let ownerChanges = OwnerChanges()
  }

  private func withServer(test: String = #function, _ body: @MainActor (Server) async throws -> Void)
    async throws
  {
    try await VirtualDesktop.with(test: test) { desktop in
      let display = try #require(desktop.environment["DISPLAY"])
      let server = Server(desktop: desktop, display: display, clipboard: X11Clipboard(display: display))
      server.clipboard.deliver = server.deliveries.take
      let observation = server.clipboard.changes.add { [changes = server.ownerChanges] _ in changes.add() }
      try await body(server)
      server.clipboard.close()
      withExtendedLifetime(observation) {}
    }
  }

  @Test func `a paste and the window's own read both get the text when started together`() async throws {
    try await withServer { server in
      let owner = X11Selections(display: server.display)
      try await owner.offer(Array("there".utf8))
      for _ in 1...20 {
        let deliveries = Deliveries()
        let source = X11Clipboard(display: server.display)
        source.deliver = deliveries.take
        source.follow(true)
        #expect(try await source.readNow() == .text("there"))
        try #require(try await eventually { deliveries.all == [.success(.text("there"))] })
        source.close()
      }
    }
  }

  /// The other program takes the clipboard when CopyPasta asks for the server time.
  @Test func `a copy that is replaced at once does not count as on the clipboard`() async throws {
    try await withServer { server in
      let clipboard = server.clipboard
      try await clipboard.offer("row")
      let window = try #require(await clipboard.selections.window)
      let rival = try server.desktop.start(Self.fixture("requestor.py", "rival", "\(window)"))
      try await rival.waitUntil("the rival") { $0 == ["ready"] }
      try await waitUntil("a copy replaced") {
        do {
          try await clipboard.offer("row")
          return false
        } catch TransferError.ownershipLost { return true }
      }
      #expect(clipboard.ownOffer == nil)
    }
  }

  /// Some window managers mark a window as active before they move the focus to it.
  @Test func `a text is read and pasted only while the reading window has the focus`() async throws {
    try await withServer { server in
      let owner = try await ClipboardOwner.start(offering: .text("there"), on: server.desktop)
      let windows = try server.desktop.start(Self.fixture("focus.py", "show"))
      try await windows.waitUntil("the windows") { !$0.isEmpty }
      let numbers = windows.lines[0].split(separator: " ").compactMap { UInt32($0) }
      let (clipboard, deliveries) = (server.clipboard, server.deliveries)
      clipboard.setReadingWindow(numbers[1])
      clipboard.follow(true)
      try await waitUntil("the first read") { deliveries.all == [.failure(.cancelled)] }
      await #expect(throws: TransferError.cancelled) { try await clipboard.readNow() }
      #expect(owner.requests == [])
      try await server.desktop.xdotool("windowfocus", "\(numbers[1])")
      try await waitUntil("the second read") { deliveries.all.last == .success(.text("there")) }
      #expect(try await clipboard.readNow() == .text("there"))
    }
  }

  @Test(arguments: ["refused", "empty"])
  func `copying a row waits for a text copied during a slow read, also if its first form is refused or empty`(
    first: String
  ) async throws {
    try await withServer { server in
      let (clipboard, selections) = (server.clipboard, server.clipboard.selections)
      clipboard.limits = TransferLimits(
        idleTimeout: .seconds(3600), total: .seconds(3600), grace: .seconds(3600),
        copyDelay: .seconds(3600))
      let stalled = try await ClipboardOwner.start(behaving: "IncrStall", on: server.desktop)
      clipboard.follow(true)
      try await waitUntil("the request") {
        let isPending = await selections.isReadPending
        return !stalled.contentRequests.isEmpty && !isPending
      }
      let next = "Forms:UTF8_STRING=1000-\(first),text/plain=500-refused,STRING=served"
      _ = try await ClipboardOwner.start(behaving: next, on: server.desktop)
      try await waitUntil("the pending read") { await selections.isReadPending }
      let copy = Task { try await clipboard.offer("row") }
      // Ends the slow read.
      try await stalled.program.killNow()
      try await copy.value
      try await waitUntil("both deliveries") { server.deliveries.all.count >= 2 }
      #expect(server.deliveries.all.prefix(2) == [.failure(.cancelled), .success(.text("the owner's text"))])
    }
  }

  /// A paste is about the offer that was there at the press, and nothing counts the offers in between.
  @Test func `each start of following is another offer, or reports a missing server`() async throws {
    let clipboard = X11Clipboard(display: ":65000")
    let deliveries = Deliveries()
    clipboard.deliver = deliveries.take
    var offers = [clipboard.offer]
    for count in 1...2 {
      clipboard.follow(true)
      offers.append(clipboard.offer)
      try await waitUntil("the failure") { deliveries.all.count == count }
      clipboard.follow(false)
    }
    #expect(Set(offers).count == 3)
    #expect(deliveries.all == [.failure(.unavailable), .failure(.unavailable)])
    clipboard.close()
  }

  /// The X server gives a new connection the lowest free client id, and with it the same window ids.
  @Test func `another program's window with the id of a lost one is not CopyPasta's`() async throws {
    try await withServer { server in
      let clipboard = server.clipboard
      // Two simultaneous offers count as one of CopyPasta's own.
      let offers = ["ours", "ours, too"].map { text in Task { @MainActor in try await clipboard.offer(text) }
      }
      for offer in offers { try await offer.value }
      #expect(try await clipboard.readNow() == .own)
      let window = try #require(await clipboard.selections.window)
      let killer = try server.desktop.start(Self.fixture("requestor.py", "attack", "kill", "\(window)"))
      try await waitUntil("the connection closed") {
        let window = await clipboard.selections.window
        return window == nil && !killer.isRunning
      }
      var others: [X11Selections] = []
      while await others.last?.window != window {
        try #require(others.count < 50)
        others.append(X11Selections(display: server.display))
        try await others.last?.offer(Array("another's".utf8))
      }
      #expect(try await clipboard.readNow() == .text("another's"))
      // The next copy opens a new connection.
      try await clipboard.offer("ours again")
      #expect(try await clipboard.readNow() == .own)
    }
  }

  /// A clipboard manager may take over a text before the task that offered it continues.
  @Test func `a text that another program takes over at once does not count as offered`() async throws {
    try await withServer { server in
      let clipboard = server.clipboard
      let manager = try await ClipboardOwner.start(behaving: "Manager", on: server.desktop)
      for number in 1...100 {
        try await clipboard.offer("text \(number)")
        let isTaken = try await eventually { clipboard.ownOffer == nil }
        try #require(isTaken, "after \(number) copies, \(manager.lines.suffix(3))")
      }
    }
  }

  @Test func `copies and their owner's end are reported while a drop waits`() async throws {
    try await withServer { server in
      let (source, deliveries, ownerChanges) = (server.clipboard, server.deliveries, server.ownerChanges)
      source.limits = TransferLimits(idleTimeout: .seconds(3600), total: .seconds(3600))
      let slow = try server.desktop.start(Fixture.python("x11_owner.py", ["Mute", "XdndSelection"]))
      try await waitUntil("the drag source") { slow.lines == ["ready"] }
      let permit = ReadPermit()
      permit.grant()
      let drop = Task { @MainActor in try await source.read(FakeDrop(nil), under: permit) }
      try await waitUntil("the request") { slow.lines == ["ready", "TARGETS"] }
      source.follow(true)
      var owner: X11Selections? = X11Selections(display: server.display)
      for text in ["one", "two"] {
        try await owner?.offer(Array(text.utf8))
        try await waitUntil("the text") { deliveries.all.last == .success(.text(text)) }
      }
      // Only a copy that is made after the source follows the clipboard counts as a change.
      try await waitUntil("the second copy reported") { ownerChanges.count >= 1 }
      let changes = ownerChanges.count
      owner = nil
      try await waitUntil("the end reported") { ownerChanges.count > changes }
      // Another drop does not wait either.
      let other = try server.desktop.start(Fixture.python("x11_owner.py", ["Owner", "XdndSelection"]))
      try await waitUntil("the other drag source") { other.lines == ["ready"] }
      #expect(try await source.read(FakeDrop(nil), under: permit) == .text("the owner's text"))
      await #expect(throws: TransferError.cancelled) { try await drop.value }
    }
  }

  @Test func `a change of the owner is reported once while it is watched but not followed`() async throws {
    try await withServer { server in
      let (source, ownerChanges) = (server.clipboard, server.ownerChanges)
      let owner = X11Selections(display: server.display)
      try await owner.offer(Array("before".utf8))
      #expect(source.watchNextChange())
      try await waitUntil("the change reported") {
        try await owner.offer(Array("after".utf8))
        return ownerChanges.count > 0
      }
      try await owner.offer(Array("unnoticed".utf8))
      source.follow(true)
      try await waitUntil("the text") { server.deliveries.all == [.success(.text("unnoticed"))] }
      #expect(ownerChanges.count == 1)
    }
  }

  @Test func `a paste waits longer for a slow selection owner than a followed read`() async throws {
    try await withServer { server in
      let source = server.clipboard
      source.limits = TransferLimits(idleTimeout: .milliseconds(100), patience: .seconds(3600))
      let owner = try await ClipboardOwner.start(behaving: "Slow", on: server.desktop)
      source.follow(true)
      try await waitUntil("the failure") { server.deliveries.all == [.failure(.timedOut)] }
      #expect(try await source.readNow() == .text("the owner's text"))
      withExtendedLifetime(owner) {}
    }
  }

  private static func fixture(_ name: String, _ arguments: String...) -> [String] {
    ["/usr/bin/python3", Fixture.checkout + "/Tests/X11KitTests/Fixtures/" + name] + arguments
  }
}

/// The deliveries of a source.
final class Deliveries: Sendable {
  private let deliveries = Mutex<[ClipboardDelivery]>([])

  var all: [ClipboardDelivery] { deliveries.withLock(\.self) }

  func take(_ delivery: ClipboardDelivery, _ offer: Int) {
    deliveries.withLock { $0.append(delivery) }
  }
}

extension SystemClipboard {
  /// Reads the offer that is on the clipboard now, as a paste does.
  func readNow() async throws(TransferError) -> ClipboardContent {
    let permit = ReadPermit()
    permit.grant()
    return try await read(pasted: offer, under: permit)
  }
}
