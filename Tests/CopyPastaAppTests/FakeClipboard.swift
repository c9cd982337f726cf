import ClipHistory
import ClipboardCore

@testable import CopyPastaApp

/// A clipboard that holds what the test puts there, for what no real one does on demand.
@MainActor
final class FakeClipboard: SystemClipboard {
  let offers = FakeSource()
  var source: any ClipboardSource { offers }
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
  private var isAllowed = false
  private var hasNewOffer = false
  private var offer: CheckedContinuation<Void, Never>?
  private var waiting: CheckedContinuation<ClipboardContent, any Error>?

  var isWaiting: Bool { waiting != nil }

  /// Another program copies something.
  func copy(_ content: ClipboardContent?) {
    self.content = content
    hasNewOffer = true
    wake()
  }

  /// Answers the read that waits.
  func answer(_ content: ClipboardContent) {
    waiting?.resume(returning: content)
    waiting = nil
  }

  func allowReading(_ isAllowed: Bool) {
    self.isAllowed = isAllowed
    hasNewOffer = isAllowed
    wake()
  }

  @MainActor func nextOffer() async throws(TransferError) {
    while !mayReadAnew {
      if Task.isCancelled { throw .cancelled }
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          if mayReadAnew || Task.isCancelled { continuation.resume() } else { offer = continuation }
        }
      } onCancel: {
        Task { @MainActor in self.wake() }
      }
    }
  }

  @MainActor func read(within limits: TransferLimits, onPurpose: Bool)
    async throws(TransferError) -> ClipboardContent
  {
    guard !onPurpose else { return try await readOnPurpose() }
    hasNewOffer = endless != nil
    reads += 1
    if let failure { throw failure }
    if let endless { return endless(reads) }
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

  private func readOnPurpose() async throws(TransferError) -> ClipboardContent {
    readsOnPurpose += 1
    if !failuresOnPurpose.isEmpty { throw failuresOnPurpose.removeFirst() }
    if stallsOnPurpose { await withCheckedContinuation { stalled = $0 } }
    return contentOnPurpose
  }

  private var mayReadAnew: Bool { isAllowed && hasNewOffer }

  private func wake() {
    offer?.resume()
    offer = nil
  }

  private func giveUp() {
    cancelled += 1
    waiting?.resume(throwing: CancellationError())
    waiting = nil
  }
}
