/// Follows the clipboard while the window is active, and only then.
///
/// It reconciles once when the window becomes active and then reads each new offer. There is no timer and no
/// polling; while the window is inactive nothing is read, and a transfer under way then is given up.
@MainActor
final class ClipboardWatcher {
  private let clipboard: any SystemClipboard
  private let recorder: CaptureRecorder
  private let limits: TransferLimits
  private var reading: Task<Void, Never>?
  /// Another offer came while one was being read.
  private var isStale = false
  private var grace: Task<Void, any Error>?

  /// How long the transfer of an offer may go on once another one has replaced it.
  private static let graceTime = Duration.milliseconds(250)

  /// Whether the clipboard is read now.
  var isActive = false {
    didSet {
      guard isActive != oldValue else { return }
      if isActive { read() } else { stop() }
    }
  }

  init(_ clipboard: any SystemClipboard, into recorder: CaptureRecorder, limits: TransferLimits = .init()) {
    self.clipboard = clipboard
    self.recorder = recorder
    self.limits = limits
    clipboard.onNewOffer { [weak self] in
      guard let self, isActive else { return }
      read()
    }
  }

  /// Reads what is offered now; after the present transfer, where there is one.
  private func read() {
    guard let reading else {
      self.reading = Task { [weak self] in
        await self?.readOffer()
        self?.readingEnded()
      }
      return
    }
    isStale = true
    guard grace == nil else { return }
    grace = Task {
      try await Task.sleep(for: Self.graceTime)
      reading.cancel()
    }
  }

  private func stop() {
    isStale = false
    reading?.cancel()
  }

  private func readingEnded() {
    reading = nil
    grace?.cancel()
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
