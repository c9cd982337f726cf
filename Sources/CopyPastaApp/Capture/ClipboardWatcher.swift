import GtkKit

/// Follows the clipboard while the window is active, and only then.
///
/// It reconciles once when the window becomes active and then reads each new offer. There is no timer and no
/// polling; while the window is inactive nothing is asked for. A transfer that was asked for before goes on to its
/// end, within its limits: some owners (xclip 0.13) serve nobody else until it is over.
@MainActor
final class ClipboardWatcher {
  private let clipboard: any SystemClipboard
  private let recorder: CaptureRecorder
  /// How far the transfers that begin from now on may go.
  var limits: TransferLimits
  /// How long the transfer of an offer may go on once another one has replaced it.
  private let graceTime: Duration
  private var reading: Task<Void, Never>?
  /// Another offer came while one was being read.
  private var isStale = false
  private var grace: Timeout?

  /// Whether the clipboard is read now.
  var isActive = false {
    didSet {
      guard isActive != oldValue else { return }
      if isActive { read() } else { isStale = false }
    }
  }

  init(
    _ clipboard: any SystemClipboard, into recorder: CaptureRecorder, limits: TransferLimits = .init(),
    graceTime: Duration = .milliseconds(250)
  ) {
    self.clipboard = clipboard
    self.recorder = recorder
    self.limits = limits
    self.graceTime = graceTime
    clipboard.onNewOffer { [weak self] in
      guard let self, isActive else { return }
      read()
      endReplacedTransfer()
    }
  }

  /// Reads what is offered now; after the present transfer, where there is one.
  private func read() {
    guard reading == nil else {
      isStale = true
      return
    }
    reading = Task { [weak self] in
      await self?.readOffer()
      self?.readingEnded()
    }
  }

  /// Gives the transfer of an offer that another one has replaced a moment to end, and gives it up then.
  private func endReplacedTransfer() {
    guard isStale, grace == nil, let reading else { return }
    grace = Timeout(after: graceTime) { reading.cancel() }
  }

  private func readingEnded() {
    reading = nil
    grace = nil
    guard isStale, isActive else { return }
    isStale = false
    read()
  }

  private func readOffer() async {
    do throws(TransferError) {
      // The content is dropped before the next read: one large text at a time.
      if case .text(let bytes) = try await clipboard.read(within: limits), !Task.isCancelled {
        await recorder.record(bytes)
      }
    } catch {
      recorder.refuse(error)
    }
  }
}
