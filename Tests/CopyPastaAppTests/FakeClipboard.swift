import ClipHistory
import ClipboardCore

@testable import CopyPastaApp

/// A clipboard with contents set by the test, for cases that real clipboards do not produce on demand.
@MainActor
final class FakeClipboard: SystemClipboard {
  let offers = FakeSource()
  func makeSource(deliver: @escaping ClipboardDeliver) -> any ClipboardSource {
    offers.deliver = deliver
    return offers
  }

  private(set) var offered: [String] = []
  /// The error that offering a text throws, if any.
  var failure: TransferError?
  var offeredText: ClipText?

  let offerLosses = Observers<Void>()

  func offer(_ text: ClipText) async throws(TransferError) {
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
  /// If set, every read is followed by a new offer, which this closure creates from the number of reads.
  var endless: ((Int) -> ClipboardContent)?
  /// The content that an explicit read (`readNow`) receives.
  var contentOnPurpose = ClipboardContent.noText
  /// The errors that the next explicit reads throw; later reads receive the content.
  var failuresOnPurpose: [TransferError] = []
  /// While this is true, explicit reads wait.
  var stallsOnPurpose = false {
    didSet { if !stallsOnPurpose { stalled.take()?.resume() } }
  }
  private var stalled: CheckedContinuation<Void, Never>?
  private(set) var readsOnPurpose = 0
  private(set) var reads = 0
  private(set) var cancelled = 0
  private var isFollowed = false
  private var hasNewOffer = false
  private var following: Task<Void, Never>?
  private var isClosed = false
  private var afterwards: [@Sendable () -> Void] = []
  private var waiting: CheckedContinuation<ClipboardContent, any Error>?
  /// Receives the results of reads.
  var deliver: ClipboardDeliver = { _ in }
  var limits = TransferLimits()

  var isWaiting: Bool { waiting != nil }

  /// Simulates a copy in another program.
  func copy(_ content: ClipboardContent?) {
    self.content = content
    hasNewOffer = true
    readOffers()
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

  func afterRead(_ body: @escaping @Sendable () -> Void) {
    if following == nil { body() } else { afterwards.append(body) }
  }

  private func readOffers() {
    guard following == nil else { return }
    following = Task {
      while isFollowed && hasNewOffer && !isClosed {
        await deliver(await read())
        afterwards.forEach { $0() }
        afterwards = []
      }
      following = nil
    }
  }

  private func read() async -> ClipboardDelivery {
    hasNewOffer = endless != nil
    reads += 1
    if let failure { return .failure(failure) }
    if let endless { return .success(endless(reads)) }
    if let content { return .success(content) }
    do {
      return .success(
        try await withTaskCancellationHandler {
          try await withCheckedThrowingContinuation { waiting = $0 }
        } onCancel: {
          Task { @MainActor in self.giveUp() }
        })
    } catch {
      return .failure(.cancelled)
    }
  }

  func readNow() async throws(TransferError) -> ClipboardContent {
    readsOnPurpose += 1
    if !failuresOnPurpose.isEmpty { throw failuresOnPurpose.removeFirst() }
    if stallsOnPurpose { await withCheckedContinuation { stalled = $0 } }
    return contentOnPurpose
  }

  private func giveUp() {
    cancelled += 1
    waiting?.resume(throwing: CancellationError())
    waiting = nil
  }
}
