import ClipHistory
import ClipboardCore

@testable import CopyPastaApp

/// A clipboard that holds what the test puts there, for what no real one does on demand.
@MainActor
final class FakeClipboard: SystemClipboard {
  let offers = FakeSource()
  func makeSource(deliver: @escaping ClipboardDeliver) -> any ClipboardSource {
    offers.deliver = deliver
    return offers
  }

  private(set) var offered: [String] = []
  /// Why this program does not get the clipboard, if it does not.
  var failure: TransferError?
  var offeredText: ClipText?

  let offerLosses = Observers<Void>()

  func offer(_ text: ClipText) async throws(TransferError) {
    if let failure { throw failure }
    offered.append(String(decoding: text.bytes, as: UTF8.self))
    offeredText = text
  }

  /// Another program takes the clipboard.
  func lose() {
    offeredText = nil
    offerLosses.notify()
  }
}

/// Offers of other programs, which answer when the test lets them.
@MainActor
final class FakeSource: ClipboardSource {
  /// The content that a read gets at once; if nil, the read waits for `answer`.
  var content: ClipboardContent?
  /// The error that a read ends with.
  var failure: TransferError?
  /// There is always another offer: that with the number of the read.
  var endless: ((Int) -> ClipboardContent)?
  /// The content that a read on purpose gets.
  var contentOnPurpose = ClipboardContent.noText
  /// The errors that reads on purpose end with before one gets the content.
  var failuresOnPurpose: [TransferError] = []
  /// Whether a read on purpose waits until this is false.
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
  /// Takes what is read.
  var deliver: ClipboardDeliver = { _ in }
  var limits = TransferLimits()

  var isWaiting: Bool { waiting != nil }

  /// Another program copies something.
  func copy(_ content: ClipboardContent?) {
    self.content = content
    hasNewOffer = true
    readOffers()
  }

  /// Answers the read that waits.
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
