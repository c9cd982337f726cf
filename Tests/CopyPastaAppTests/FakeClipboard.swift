import ClipHistory

@testable import CopyPastaApp

/// A clipboard whose owner answers when the test lets it, for what no real one does on demand.
@MainActor
final class FakeClipboard: SystemClipboard {
  /// What a read answers at once; where nil, it waits for `answer`.
  var content: ClipboardContent?
  private(set) var reads = 0
  private(set) var cancelled = 0
  private(set) var offered: [String] = []
  /// Whether the desktop lets this program have the clipboard.
  var takesOffers = true
  var offeredText: ClipText?
  var isOffering: Bool { offeredText != nil }
  private var newOffer: (@MainActor () -> Void)?
  private var lost: (@MainActor () -> Void)?
  private var waiting: CheckedContinuation<ClipboardContent, any Error>?

  func onNewOffer(_ body: @escaping @MainActor () -> Void) { newOffer = body }
  func onOfferLost(_ body: @escaping @MainActor () -> Void) { lost = body }

  /// Another program copies something.
  func copy(_ content: ClipboardContent?) {
    self.content = content
    newOffer?()
  }

  /// Answers the read that waits.
  func answer(_ content: ClipboardContent) {
    waiting?.resume(returning: content)
    waiting = nil
  }

  var isWaiting: Bool { waiting != nil }

  func read(within limits: TransferLimits) async throws(TransferError) -> ClipboardContent {
    reads += 1
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

  func offer(_ text: ClipText) async throws(TransferError) {
    guard takesOffers else { throw .unavailable }
    offered.append(String(decoding: text.bytes, as: UTF8.self))
    offeredText = text
  }

  private func giveUp() {
    cancelled += 1
    waiting?.resume(throwing: CancellationError())
    waiting = nil
  }
}
