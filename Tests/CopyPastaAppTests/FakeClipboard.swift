import ClipHistory
import ClipboardCore
import GtkKit

@testable import CopyPastaApp

/// A clipboard with contents set by the test, for cases that real clipboards do not produce on demand.
@MainActor
final class FakeClipboard: SystemClipboard {
  let pendingRead = PendingRead()
  let ownCopies = OwnCopies()
  private(set) lazy var offers = FakeSource(pendingRead)
  func makeSource(
    deliver: @escaping ClipboardDeliver, ownerChanged: @escaping @Sendable () -> Void
  ) -> any ClipboardSource {
    (offers.deliver, offers.ownerChanged) = (deliver, ownerChanged)
    return offers
  }

  private(set) var offered: [String] = []
  /// The error that offering a text throws, if any.
  var failure: TransferError?
  var offeredText: ClipText?

  let offerLosses = Observers<Void>()

  func setText(_ text: ClipText) async throws(TransferError) {
    if let failure { throw failure }
    offered.append(String(decoding: text.bytes, as: UTF8.self))
    offeredText = text
  }

  /// Simulates another program that takes the clipboard.
  func lose() {
    offeredText = nil
    offerLosses.notify()
  }
}

/// Simulates other programs' offers, with reads that are answered when the test decides.
@MainActor
final class FakeSource: ClipboardSource {
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
  private let pendingRead: PendingRead
  private let permit = ReadPermit()
  private var waiting: CheckedContinuation<ClipboardContent, any Error>?
  /// Receives the results of reads.
  var deliver: ClipboardDeliver = { _, _ in }
  var ownerChanged: @Sendable () -> Void = {}
  var limits = TransferLimits()

  init(_ pendingRead: PendingRead = PendingRead()) { self.pendingRead = pendingRead }

  var isWaiting: Bool { waiting != nil }

  /// Simulates a copy in another program.
  func copy(_ content: ClipboardContent?) {
    self.content = content
    change()
    hasNewOffer = true
    readOffers()
  }

  /// Simulates the end of the clipboard's owner, which leaves the clipboard empty.
  func change() {
    offer += 1
    ownerChanged()
  }

  /// Completes the waiting read.
  func answer(_ content: ClipboardContent) {
    waiting?.resume(returning: content)
    waiting = nil
  }

  func follow(_ isFollowing: Bool) {
    if isFollowing { permit.grant() } else { permit.revoke() }
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

  private func readOffers() {
    guard following == nil else { return }
    following = Task {
      while isFollowed && hasNewOffer && !isClosed {
        let offer = offer
        await pendingRead.deliver(to: { await self.deliver($0, offer) }, under: permit) {
          () throws(TransferError) in
          try await read()
        }
      }
      following = nil
    }
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

  func read(
    _ drop: any DroppedText, under permit: ReadPermit
  ) async throws(TransferError) -> ClipboardContent {
    guard let drop = drop as? FakeDrop else { throw .refused }
    return try await drop.content(within: limits)
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
