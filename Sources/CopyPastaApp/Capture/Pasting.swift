import ClipHistory
import ClipboardCore
import GtkKit

/// Records on purpose what the user pastes into the window or drops on it, and says what became of it.
///
/// The clipboard is read as a capture reads it, and the text judged as a capture's is.
@MainActor
final class Pasting {
  private let clipboard: any SystemClipboard
  private let capture: Capture
  private let outcome: @MainActor (CaptureOutcome) -> Void
  private let queue = TaskQueue()

  init(
    _ clipboard: any SystemClipboard, into capture: Capture,
    outcome: @escaping @MainActor (CaptureOutcome) -> Void
  ) {
    self.clipboard = clipboard
    self.capture = capture
    self.outcome = outcome
  }

  /// Records the clipboard's text.
  func paste() {
    queue.add { [self] in
      do throws(TransferError) {
        switch try await content() {
        case .text(let bytes): await take(bytes, fromClipboard: true)
        // Its row may be deleted since it was copied.
        case .own: if let text = clipboard.offeredText { await take(text.bytes, fromClipboard: true) }
        case .noText: outcome(.noText)
        case .secret: outcome(.secret)
        }
      } catch {
        outcome(.unread(error))
      }
    }
  }

  /// What the clipboard holds; a copy at this very moment counts as what was meant.
  private func content() async throws(TransferError) -> ClipboardContent {
    for _ in 1..<5 {
      do throws(TransferError) {
        return try await clipboard.read(within: capture.limits)
      } catch .cancelled {
        continue
      }
    }
    return try await clipboard.read(within: capture.limits)
  }

  /// Records what another program dropped.
  func take(_ drop: Drop) {
    queue.add { [self] in
      do {
        let bytes = try await TextTransfer(limits: capture.limits).bytes {
          try await drop.read(TextFormat.mimeTypes)
        }
        drop.finish(accepted: true)
        await take(bytes, fromClipboard: false)
      } catch {
        drop.finish(accepted: false)
        outcome(.unread(error as? TransferError ?? .refused))
      }
    }
  }

  /// Returns when all that was pasted so far is recorded.
  func settle() async { await queue.settle() }

  private func take(_ bytes: [UInt8], fromClipboard: Bool) async {
    outcome(await capture.recordOnPurpose(bytes, fromClipboard: fromClipboard))
  }
}
