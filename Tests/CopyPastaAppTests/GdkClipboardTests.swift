import ClipHistory
import ClipboardCore
import GtkKit
import GtkTestSupport
import Testing

@testable import CopyPastaApp

/// Reads through GDK from a simulated owner, for cases that real owners do not produce on demand.
@MainActor
@Suite(.serialized) struct GdkClipboardTests {
  private let device = FakeDevice()
  private let clipboard: GdkClipboard
  private let deliveries = Deliveries()
  private let source: any ClipboardSource

  init() {
    // The limits are long because other suites keep the main thread busy.
    clipboard = GdkClipboard(device, PendingRead(limit: .seconds(3600)))
    source = clipboard.makeSource(deliver: deliveries.take)
    source.limits = Self.wideLimits
  }

  private static let wideLimits = TransferLimits(
    idleTimeout: .seconds(3600), total: .seconds(3600), grace: .milliseconds(1))

  private static let whole = ClipboardDelivery.success(.text(Array("whole".utf8)))

  @Test func `a copy on Wayland needs a press after the last copy of another program`() {
    #expect(clipboard.needsPress)
    clipboard.notePress()
    device.copyOwn()
    #expect(!clipboard.needsPress)
    device.copy(sending: "other", isEnded: true)
    #expect(clipboard.needsPress)
  }

  @Test func `a clipboard offer is read to the end of its stream`() async throws {
    source.follow(true)
    device.copy(sending: "whole", isEnded: true)
    try await pump("a delivery") { deliveries.all == [Self.whole] }
  }

  /// GTK reports a loss of the focus in a separate iteration of the main loop, after the compositor's events.
  @Test func `a text is discarded if the window loses the focus just before the transfer's end is confirmed`()
    async throws
  {
    source.follow(true)
    var calls = 0
    device.onSynchronise = { [source] in
      calls += 1
      // The text is delivered after the second call.
      if calls == 2 { Task { @MainActor in source.follow(false) } }
    }
    device.copy(sending: "whole", isEnded: true)
    try await pump("a delivery") { !deliveries.all.isEmpty }
    #expect(deliveries.all == [.failure(.cancelled)])
    #expect(calls == 2)
  }

  @Test func `a stalled read ends soon after another program copies`() async throws {
    // Only the grace period can end the stalled read soon, because the time limits are an hour.
    source.follow(true)
    device.copy(sending: "half of ", isEnded: false)
    try await pump("a read") { device.reads == 1 }
    device.copy(sending: "whole", isEnded: true)
    try await pump("a delivery") { deliveries.all.last == Self.whole }
    #expect(deliveries.all == [.failure(.cancelled), Self.whole])
  }

  @Test func `a read that CopyPasta's own copy interrupts can finish even after another program copies`()
    async throws
  {
    source.limits.grace = .seconds(3600)
    source.follow(true)
    device.copy(sending: "who", isEnded: false)
    try await pump("a read") { device.reads == 1 }
    let first = device.stream
    device.copyOwn()
    device.copy(sending: "whole", isEnded: true)
    first.send(Array("le".utf8))
    first.end()
    try await pump("both texts") { deliveries.all.count == 2 }
    #expect(deliveries.all == [Self.whole, Self.whole])
  }

  @Test func `no text is requested if the window loses the focus just before the request`() async throws {
    device.beforeRequest = { [source] in source.follow(false) }
    source.follow(true)
    device.copy(sending: "whole", isEnded: true)
    try await pump("a delivery") { !deliveries.all.isEmpty }
    #expect(deliveries.all == [.failure(.cancelled)])
    #expect(device.reads == 0)
  }

  @Test func `copying a row waits until a pending read has requested the other program's text`()
    async throws
  {
    let own = try ClipText(validating: Array("own".utf8))
    var copying: Task<Void, any Error>?
    device.beforeRequest = { [clipboard] in
      copying = Task { try await clipboard.offer(own) }
      // Let the copy run on the main thread before the request.
      for _ in 0..<10 { await Task.yield() }
    }
    source.follow(true)
    device.copy(sending: "whole", isEnded: false)
    try await pump("the copy") { device.offers == 1 }
    #expect(device.readsBeforeOffer == 1)
    device.end(sending: "")
    try await copying?.value
    try await pump("a delivery") { deliveries.all.first == Self.whole }
  }

  @Test func `a newer offer stays pending when the earlier text is delivered`() async {
    let (pendingRead, permit) = (PendingRead(), ReadPermit())
    permit.grant()
    let delivery = await pendingRead.delivery(under: permit) {
      // The text is requested, and another program copies.
      pendingRead.end()
      pendingRead.begin()
      return .text(Array("whole".utf8))
    }
    #expect(delivery == Self.whole)
    #expect(pendingRead.isPending)
  }

  @Test func `afterRead waits for the delivery of the current read`() async throws {
    let log = Deliveries()
    source.afterRead { Task { await log.take(.failure(.refused)) } }
    try await pump("the body run") { log.all.count == 1 }
    source.follow(true)
    device.copy(sending: "who", isEnded: false)
    try await pump("a read") { device.reads == 1 }
    var hasRun = false
    source.afterRead { MainActor.assumeIsolated { hasRun = true } }
    #expect(!hasRun)
    device.end(sending: "le")
    try await pump("the body run") { hasRun }
    #expect(deliveries.all == [Self.whole])
  }
}

/// A clipboard device whose content the test sends.
@MainActor
final class FakeDevice: ClipboardDevice {
  private(set) var mimeTypes: [String] = []
  private(set) var isLocal = false
  private(set) var reads = 0
  private(set) var offers = 0
  private(set) var readsBeforeOffer = 0
  var onSynchronise: @MainActor () -> Void = {}
  /// Runs between the call to `read` and the request.
  var beforeRequest: @MainActor () async -> Void = {}
  private var changed: @MainActor () -> Void = {}
  private(set) var stream = SocketStream()
  private var streams: [SocketStream] = []

  func onChange(_ body: @escaping @MainActor () -> Void) { changed = body }
  func synchronise() { onSynchronise() }
  func offer(_ bytes: [UInt8], as mimeTypes: [String]) {
    if offers == 0 { readsBeforeOffer = reads }
    offers += 1
  }

  func read(_ mimeTypes: [String], prepare: @MainActor () throws -> Void) async throws -> InputStream {
    await beforeRequest()
    try prepare()
    reads += 1
    return stream.input
  }

  /// Simulates another program's offer.
  func copy(sending text: String, isEnded: Bool) {
    streams.append(stream)
    stream = SocketStream()
    stream.send(Array(text.utf8))
    if isEnded { stream.end() }
    change(isLocal: false)
  }

  /// Simulates CopyPasta's own offer.
  func copyOwn() { change(isLocal: true) }

  private func change(isLocal: Bool) {
    self.isLocal = isLocal
    mimeTypes = ["text/plain"]
    changed()
  }

  /// Sends the rest of the owner's text.
  func end(sending text: String) {
    stream.send(Array(text.utf8))
    stream.end()
  }
}
