import ClipboardCore
import GtkKit
import GtkTestSupport
import Synchronization
import TestSupport
import Testing

@testable import CopyPastaApp
@testable import GtkKit

/// Reads through GDK from a simulated owner, for cases that real owners do not produce on demand.
@MainActor
@Suite(.serialized, .tags(.recordsEveryCopy)) struct GdkClipboardTests {
  private let device = FakeDevice()
  private let clipboard: GdkClipboard
  private let deliveries = Deliveries()
  private let ownerChanges = OwnerChanges()
  private let observation: ListenerToken

  init() {
    // The limits are long because other suites keep the main thread busy.
    clipboard = GdkClipboard(device)
    clipboard.deliver = deliveries.take
    observation = clipboard.changes.add { [ownerChanges] _ in ownerChanges.add() }
    clipboard.limits = TransferLimits(
      idleTimeout: .seconds(3600), total: .seconds(3600), grace: .milliseconds(1), copyDelay: .seconds(3600))
  }

  private nonisolated static let whole = ClipboardDelivery.success(.text("whole"))

  @Test func `on Wayland, a copy needs a press since the last copy of another program`() async {
    #expect(clipboard.needsPress)
    await #expect(throws: TransferError.ownershipLost) { try await clipboard.offer("own") }
    clipboard.notePress(at: 0)
    device.copyOwn()
    #expect(!clipboard.needsPress)
    device.copy(sending: "other", isEnded: true)
    #expect(clipboard.needsPress)
  }

  /// GDK would not notice that the compositor refuses the offer, and would then treat every copy as this program's own.
  @Test(.tags(.copiesAsOfThePress))
  func `on Wayland, a copy is refused after another program's copy or without focus`() async throws {
    clipboard.notePress(at: 0)
    let press = clipboard.takePress()
    device.copy(sending: "other", isEnded: true)
    // A later press does not make the copy younger.
    clipboard.notePress(at: 1)
    await #expect(throws: TransferError.ownershipLost) { try await clipboard.offer("own", press) }
    device.isLeft = true
    clipboard.limits.copyDelay = .zero
    await #expect(throws: TransferError.unavailable) {
      try await pumping { [clipboard] in try await clipboard.offer("own") }
    }
    #expect(device.offers == 0 && clipboard.ownOffer == nil)
    device.isLeft = false
    try await clipboard.offer("own")
    #expect(device.offers == 1)
  }

  @Test func `on Wayland, a copy waits for the focus that its click gives the window`() async throws {
    clipboard.notePress(at: 0)
    device.isLeft = true
    var calls = 0
    device.onSynchronise = { [device] in
      calls += 1
      if calls == 3 { device.isLeft = false }
    }
    try await pumping { [clipboard] in try await clipboard.offer("own") }
    #expect(device.offers == 1)
  }

  /// GTK reports a loss of the focus in a separate iteration of the main loop, after the compositor's events.
  @Test func `a text is discarded if the focus is lost before its end is confirmed`() async throws {
    var calls = 0
    device.onSynchronise = { [clipboard] in
      calls += 1
      // The text is delivered after the second call.
      if calls == 2 { Task { @MainActor in clipboard.follow(false) } }
    }
    device.copy(sending: "whole", isEnded: true)
    #expect(try await arrival(by: .followed) == .failure(.cancelled))
    #expect(calls == 2)
  }

  /// The kernel closes the pipe of a process that exits before or after its connection to the compositor.
  @Test func `a text is discarded if its owner's end is reported after the stream's end`() async throws {
    clipboard.limits.grace = .seconds(3600)
    device.onSynchronise = { [device] in
      device.onSynchronise = {}
      Task { @MainActor in device.empty() }
    }
    device.copy(sending: "half of ", isEnded: true)
    #expect(try await arrival(by: .followed) == .failure(.ownerGone))
  }

  @Test func `a stalled read ends soon after another program copies`() async throws {
    // Only the grace period can end the stalled read soon, because the time limits are an hour.
    clipboard.follow(true)
    device.copy(sending: "half of ", isEnded: false)
    try await pump("a read") { device.reads == 1 }
    device.copy(sending: "whole", isEnded: true)
    try await pump("a delivery") { deliveries.all.last == Self.whole }
    #expect(deliveries.all == [.failure(.cancelled), Self.whole])
  }

  @Test func `a read that an own copy interrupts can finish even after another copy`() async throws {
    clipboard.limits.grace = .seconds(3600)
    clipboard.follow(true)
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

  @Test func `when the program ends, only a text that has begun to arrive is awaited`() async throws {
    clipboard.follow(true)
    device.copy(sending: "", isEnded: false)
    try await pump("a request") { device.reads == 1 }
    clipboard.follow(false)
    #expect(clipboard.isReading)
    clipboard.endUnansweredReads()
    try await pump("the end") { deliveries.all == [.failure(.cancelled)] && !clipboard.isReading }
  }

  @Test(.tags(.readsOnlyWhileActive))
  func `no text is requested if the window loses the focus just before the request`() async throws {
    device.beforeRequest = { [clipboard] in clipboard.follow(false) }
    device.copy(sending: "whole", isEnded: true)
    #expect(try await arrival(by: .followed) == .failure(.cancelled))
    #expect(device.reads == 0)
  }

  @Test(arguments: [[.served], [.refused, .served, .served], [.empty, .mute]] as [[FakeDevice.Answer]])
  func `copying a row waits until a pending read needs no further request`(
    _ answers: [FakeDevice.Answer]
  ) async throws {
    var copying: Task<Void, any Error>?
    device.beforeRequest = { [clipboard] in
      clipboard.notePress(at: 0)
      if copying == nil { copying = Task { try await clipboard.offer("own") } }
      // Let the copy run on the main thread before the request.
      for _ in 0..<10 { await Task.yield() }
    }
    clipboard.follow(true)
    device.offer(Array(zip(["text/plain;charset=utf-8", "text/plain", "UTF8_STRING"], answers)))
    try await pump("the copy") { device.offers == 1 }
    #expect(device.readsBeforeOffer == min(answers.count, 2))
    try await copying?.value
    if answers.contains(.served) { try await pump("a delivery") { deliveries.all.first == Self.whole } }
  }

  @Test func `a copy waits for a newer offer while the earlier text is delivered`() async throws {
    clipboard.follow(true)
    device.copy(sending: "whole", isEnded: true)
    var copying: Task<Void, any Error>?
    clipboard.deliver = { [clipboard, device, deliveries] delivery, offer in
      if copying == nil {
        device.copy(sending: "whole", isEnded: true)
        clipboard.notePress(at: 0)
        copying = Task { try await clipboard.offer("own") }
      }
      deliveries.take(delivery, offer)
    }
    try await pump("the copy") { device.offers == 1 }
    #expect(device.readsBeforeOffer == 2)
    try await pump("both texts") { deliveries.all == [Self.whole, Self.whole] }
    try await copying?.value
  }

  @Test func `a copy that waits for the current read runs after its delivery`() async throws {
    let log = OwnerChanges()
    clipboard.afterRead(log.add)
    try await pump("the body run") { log.count == 1 }
    // The read ends before it begins.
    clipboard.follow(true)
    device.copy(sending: "never", isEnded: true)
    clipboard.follow(false)
    clipboard.afterRead(log.add)
    try await pump("the body run") { log.count == 2 }
    clipboard.follow(true)
    device.copy(sending: "who", isEnded: false)
    try await pump("a read") { device.reads == 1 }
    clipboard.afterRead { [deliveries] in if deliveries.all.last == Self.whole { log.add() } }
    #expect(clipboard.isReading && log.count == 2)
    device.stream.send(Array("le".utf8))
    device.stream.end()
    try await pump("the body run") { log.count == 3 }
  }

  @Test func `a change of the owner is reported at once, unless CopyPasta itself has copied`() async throws {
    clipboard.notePress(at: 0)
    try await clipboard.offer("own")
    device.copyOwn()
    #expect(ownerChanges.count == 0 && clipboard.ownOffer != nil)
    // Another program empties the clipboard.
    device.empty()
    #expect(ownerChanges.count == 1 && clipboard.ownOffer == nil)
    device.copy(sending: "whole", isEnded: true)
    #expect(ownerChanges.count == 2)
    device.empty()
    #expect(ownerChanges.count == 3)
  }

  @Test func `a paste reads only the offer at the press; pastes and drops need a permit`() async throws {
    device.copy(sending: "meant", isEnded: true)
    let (press, offer) = (ReadPermit(), clipboard.offer)
    press.grant()
    device.copy(sending: "copied since", isEnded: true)
    await #expect(throws: TransferError.cancelled) {
      try await pumping { [clipboard] in try await clipboard.read(pasted: offer, under: press) }
    }
    press.revoke()
    for way in [Way.pasted, .dropped] {
      #expect(try await arrival(by: way, under: press) == .failure(.cancelled))
    }
    #expect(device.reads == 0)
  }

  /// Of a text above the limit, the end is not awaited.
  @Test(arguments: Way.allCases, [4, 5])
  func `a text arrives unless it is one byte above the size limit`(way: Way, limit: Int) async throws {
    clipboard.limits.bytes = limit
    device.copy(sending: "whole", isEnded: limit == 5)
    #expect(try await arrival(by: way) == (limit == 5 ? Self.whole : .failure(.tooLarge(limit: 4))))
  }

  /// The ways in which a text arrives.
  enum Way: CaseIterable {
    case followed, pasted, dropped
  }

  /// What arrives of the offer that is on the clipboard now.
  private func arrival(by way: Way, under permit: ReadPermit? = nil) async throws -> ClipboardDelivery {
    if way == .followed {
      clipboard.follow(true)
      try await pump("a delivery") { !deliveries.all.isEmpty }
      return deliveries.all[0]
    }
    let granted = ReadPermit()
    granted.grant()
    return try await pumping { [clipboard, device] in
      do throws(TransferError) {
        return .success(
          try await way == .pasted
            ? clipboard.read(pasted: clipboard.offer, under: permit ?? granted)
            : clipboard.read(device, under: permit ?? granted))
      } catch {
        return .failure(error)
      }
    }
  }

  /// `ClipboardOfferTests` has the rules for all transports.
  @Test(.tags(.requestsEveryForm), arguments: [FakeDevice.Answer.refused, .empty, .mute])
  func `the next text form is requested if the owner refuses the first, sends nothing or does not answer`(
    first: FakeDevice.Answer
  ) async throws {
    clipboard.limits.grace = .seconds(3600)
    if first == .mute { clipboard.limits.idleTimeout = .seconds(5) }
    // The order in which the owner lists its forms does not matter.
    device.offer([("UTF8_STRING", .served), ("text/plain", .served), ("text/plain;charset=utf-8", first)])
    #expect(try await arrival(by: .followed) == Self.whole)
    #expect(device.requests == ["text/plain;charset=utf-8", "text/plain"])
  }

  @Test(.tags(.skipsSecrets), arguments: Way.allCases)
  func `the text of a copied, pasted or dropped secret is never requested`(way: Way) async throws {
    device.offer([("text/plain;charset=utf-8", .served), ("x-kde-passwordManagerHint", .secret)])
    #expect(try await arrival(by: way) == .success(.secret))
    #expect(device.requests == ["x-kde-passwordManagerHint"])
  }
}

/// Reads from a stream; each limit is short only in its own test.
@MainActor
@Suite struct TextTransferTests {
  private let stream = SocketStream()

  private func bytes(total: Duration = .seconds(300)) async throws -> [UInt8] {
    let limits = TransferLimits(bytes: .max, idleTimeout: .seconds(300), total: total)
    return try await TextTransfer(limits: limits).bytes { stream.input }
  }

  @Test func `a slow stream times out after the total limit`() async throws {
    let drip = Task { [stream] in
      while !Task.isCancelled {
        stream.send([1])
        try await Task.sleep(for: .milliseconds(5))
      }
    }
    await #expect(throws: TransferError.timedOut) {
      try await pumping { try await bytes(total: .milliseconds(200)) }
    }
    drip.cancel()
  }

  @Test func `cancelling ends a read from a stream`() async throws {
    let reading = Task { try await bytes() }
    reading.cancel()
    await #expect(throws: TransferError.cancelled) { try await pumping { try await reading.value } }
  }
}

/// Counts calls, on any thread.
final class OwnerChanges: Sendable {
  private let calls = Mutex(0)

  var count: Int { calls.withLock(\.self) }

  func add() { calls.withLock { $0 += 1 } }
}

/// A clipboard device whose content the test sends; also a drop with the same content.
@MainActor
final class FakeDevice: ClipboardDevice, DroppedText {
  /// What a request for a form brings.
  enum Answer: Sendable {
    /// The text "whole".
    case served
    case refused, empty, mute
    /// The value of a password manager's hint.
    case secret
  }

  private var answers: [String: Answer] = [:]
  /// The forms that were requested.
  private(set) var requests: [String] = []
  private(set) var mimeTypes: [String] = []
  private(set) var isOffering = false
  var isLeft = false
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
    isOffering = true
    if offers == 0 { readsBeforeOffer = reads }
    offers += 1
  }

  func read(_ type: String, prepare: @MainActor () throws -> Void) async throws -> InputStream {
    await beforeRequest()
    try prepare()
    reads += 1
    requests.append(type)
    guard let answer = answers[type] else { return stream.input }
    if answer == .refused { throw GLibError(domain: "test", code: 0, message: "refused", busName: nil) }
    streams.append(stream)
    stream = SocketStream()
    switch answer {
    case .served: stream.send(Array("whole".utf8))
    case .secret: stream.send(Array("secret".utf8))
    case .empty, .mute, .refused: break
    }
    if answer != .mute { stream.end() }
    return stream.input
  }

  /// Simulates another program's offer of these forms.
  func offer(_ forms: [(String, Answer)]) {
    answers = Dictionary(uniqueKeysWithValues: forms)
    change(isOffering: false, forms.map(\.0))
  }

  /// Simulates the end of the owner.
  func empty() { change(isOffering: false, []) }

  var formats: [String] { mimeTypes }
  let time: UInt32 = 0
  func finish(accepted: Bool) {}

  /// Simulates another program's offer.
  func copy(sending text: String, isEnded: Bool) {
    streams.append(stream)
    stream = SocketStream()
    stream.send(Array(text.utf8))
    if isEnded { stream.end() }
    change(isOffering: false)
  }

  /// Simulates CopyPasta's own offer.
  func copyOwn() { change(isOffering: true) }

  private func change(isOffering: Bool, _ types: [String] = ["text/plain"]) {
    self.isOffering = isOffering
    mimeTypes = types
    changed()
  }
}
