import ClipHistory
import ClipboardCore
import GtkKit

@testable import CopyPastaApp

/// A clipboard with contents set by the test, for cases that real clipboards do not produce on demand.
@MainActor
final class FakeClipboard: SystemClipboard {
  let offers = FakeSource()
  private(set) var offered: [String] = []
  /// The error that offering a text throws, if any.
  var failure: TransferError?
  var ownOffer: OwnOffer?
  var changes: Observers<Bool> { offers.changes }

  /// Whether a change of the owner is noticed while the clipboard is not followed.
  var isWatchable = false

  func watchNextChange() -> Bool { isWatchable }

  func takePress() -> CopyPress { CopyPress(moment: 0) }
  func notePress(at time: UInt32) {}

  func setText(_ offer: OwnOffer, _ press: CopyPress) async throws(TransferError) {
    if let failure { throw failure }
    offered.append(String(decoding: offer.text.bytes, as: UTF8.self))
    ownOffer = offer
  }

  /// Simulates another program that takes the clipboard.
  func lose() {
    ownOffer = nil
    changes.notify(true)
  }

  // MARK: - Reading

  var deliver: @MainActor (ClipboardDelivery, _ offer: Int) -> Void {
    get { offers.deliver }
    set { offers.deliver = newValue }
  }
  var limits: TransferLimits {
    get { offers.limits }
    set { offers.limits = newValue }
  }
  var offer: Int { offers.offer }
  func afterRead(_ body: @escaping @MainActor () -> Void) { offers.afterRead(body) }
  func follow(_ isFollowing: Bool) { offers.follow(isFollowing) }
  func endRevokedReads() {}
  func endUnansweredReads() {}
  func close() { offers.close() }

  func read(pasted offer: Int, under permit: ReadPermit) async throws(TransferError) -> ClipboardContent {
    try await offers.read(pasted: offer, under: permit)
  }

  func read(_ drop: any DroppedText, under permit: ReadPermit) async throws(TransferError) -> ClipboardContent
  {
    guard let drop = drop as? FakeDrop else { throw .refused }
    return try await drop.content(within: limits)
  }
}

/// Simulates other programs' offers, with reads that are answered when the test decides.
@MainActor
final class FakeSource {
  let changes = Observers<Bool>()
  /// The content that a read receives immediately; if nil, the read waits for `answer`.
  var content: ClipboardContent?
  /// The error that every read throws.
  var failure: TransferError?
  /// The result of reading a pasted offer.
  var resultOnPurpose = Result<ClipboardContent, TransferError>.success(.noText)
  /// While this is true, reads of pasted offers wait.
  var stallsOnPurpose = false {
    didSet { if !stallsOnPurpose { stalled.take()?.resume() } }
  }
  private var stalled: CheckedContinuation<Void, Never>?
  /// The numbers of the offers that were read because they were pasted.
  private(set) var readsOnPurpose: [Int] = []
  private(set) var reads = 0
  private(set) var offer = 0
  private var isFollowed = false
  private var hasNewOffer = false
  private var following: Task<Void, Never>?
  private var isClosed = false
  private var waiting: CheckedContinuation<ClipboardContent, any Error>?
  private(set) var isReading = false
  private var afterRead: [@MainActor () -> Void] = []
  /// Receives the results of reads.
  var deliver: @MainActor (ClipboardDelivery, _ offer: Int) -> Void = { _, _ in }
  var limits = TransferLimits()

  var isWaiting: Bool { waiting != nil }

  /// Simulates a copy in another program.
  func copy(_ content: ClipboardContent?) {
    self.content = content
    change(isTaken: true)
    hasNewOffer = true
    readOffers()
  }

  /// Simulates the end of the clipboard's owner, which leaves the clipboard empty.
  func change(isTaken: Bool = false) {
    offer += 1
    changes.notify(isTaken)
  }

  /// Completes the waiting read.
  func answer(_ content: ClipboardContent) {
    waiting?.resume(returning: content)
    waiting = nil
  }

  func follow(_ isFollowing: Bool) {
    isFollowed = isFollowing
    hasNewOffer = isFollowing
    readOffers()
  }

  func close() {
    isFollowed = false
    isClosed = true
    following?.cancel()
    following = nil
  }

  func afterRead(_ body: @escaping @MainActor () -> Void) {
    if isReading { afterRead.append(body) } else { body() }
  }

  private var mayRead: Bool { isFollowed && hasNewOffer && !isClosed }

  private func readOffers() {
    guard following == nil, mayRead else { return }
    isReading = true
    following = Task {
      while mayRead {
        let offer = offer
        isReading = true
        do throws(TransferError) {
          deliver(.success(try await read()), offer)
        } catch {
          deliver(.failure(error), offer)
        }
        endReading()
      }
      endReading()
      following = nil
    }
  }

  private func endReading() {
    isReading = false
    let waiting = afterRead
    afterRead = []
    waiting.forEach { $0() }
  }

  private func read() async throws(TransferError) -> ClipboardContent {
    hasNewOffer = false
    reads += 1
    if let failure { throw failure }
    if let content { return content }
    do {
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { waiting = $0 }
      } onCancel: {
        Task { @MainActor in self.giveUp() }
      }
    } catch {
      throw .cancelled
    }
  }

  func read(pasted offer: Int, under permit: ReadPermit) async throws(TransferError) -> ClipboardContent {
    guard permit.current != nil, offer == self.offer else { throw .cancelled }
    readsOnPurpose.append(offer)
    if stallsOnPurpose { await withCheckedContinuation { stalled = $0 } }
    return try resultOnPurpose.get()
  }

  private func giveUp() {
    waiting?.resume(throwing: CancellationError())
    waiting = nil
  }
}

/// A drop whose text arrives when the test decides.
@MainActor
final class FakeDrop: DroppedText {
  let formats: [String] = []
  let time: UInt32 = 0
  /// The content; if nil, the read waits for `answer`.
  private var result: Result<ClipboardContent, TransferError>?
  private var waiting: CheckedContinuation<Void, Never>?
  /// Whether each drop was accepted, as reported to the other program.
  private(set) var answers: [Bool] = []
  /// The size limit of the read.
  private(set) var limit: Int?

  init(_ result: Result<ClipboardContent, TransferError>?) { self.result = result }

  convenience init(_ text: String) { self.init(.success(.text(text))) }

  func content(within limits: TransferLimits) async throws(TransferError) -> ClipboardContent {
    limit = limits.bytes
    if result == nil { await withCheckedContinuation { waiting = $0 } }
    let content = try (result ?? .failure(.refused)).get()
    guard case .text(let bytes) = content, bytes.count > limits.bytes else { return content }
    throw .tooLarge(limit: limits.bytes)
  }

  func answer(_ result: Result<ClipboardContent, TransferError>) {
    self.result = result
    waiting.take()?.resume()
  }

  func read(_ format: String, prepare: @MainActor () throws -> Void) async throws -> InputStream {
    throw TransferError.refused
  }

  func finish(accepted: Bool) { answers.append(accepted) }
}
