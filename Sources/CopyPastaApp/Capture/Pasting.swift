import ClipHistory
import GtkKit

/// Records on purpose what the user pastes into the window or drops on it, and says what became of it.
///
/// The clipboard is read as a capture reads it, and the text judged as a capture's is.
@MainActor
final class Pasting {
  private let clipboard: any SystemClipboard
  private let recorder: CaptureRecorder
  /// How far a transfer may go.
  var limits: TransferLimits
  private let outcome: @MainActor (PasteOutcome) -> Void
  private let queue = TaskQueue()

  init(
    _ clipboard: any SystemClipboard, into recorder: CaptureRecorder, limits: TransferLimits = .init(),
    outcome: @escaping @MainActor (PasteOutcome) -> Void
  ) {
    self.clipboard = clipboard
    self.recorder = recorder
    self.limits = limits
    self.outcome = outcome
  }

  /// Records the clipboard's text.
  func paste() {
    queue.add { [self] in
      do throws(TransferError) {
        switch try await clipboard.read(within: limits) {
        case .text(let bytes): await take(bytes, fromClipboard: true)
        // Its row may be deleted since it was copied.
        case .own: if let text = clipboard.offeredText { await take(text.bytes, fromClipboard: true) }
        case .noText: outcome(.noText)
        case .secret: outcome(.secret)
        }
      } catch {
        outcome(.captured(.refused(.transfer(error))))
      }
    }
  }

  /// The forms in which a text may be dropped.
  static let droppedTypes = ["text/plain;charset=utf-8", "text/plain"]

  /// Records what another program dropped.
  func take(_ drop: Drop) {
    queue.add { [self] in
      do {
        let bytes = try await TextTransfer(limits: limits).bytes { try await drop.read(Self.droppedTypes) }
        drop.finish(accepted: true)
        await take(bytes, fromClipboard: false)
      } catch {
        drop.finish(accepted: false)
        outcome(.captured(.refused(.transfer(error as? TransferError ?? .refused))))
      }
    }
  }

  /// Returns when all that was pasted so far is recorded.
  func settle() async { await queue.settle() }

  private func take(_ bytes: [UInt8], fromClipboard: Bool) async {
    outcome(.captured(await recorder.recordOnPurpose(bytes, fromClipboard: fromClipboard)))
  }
}

/// What became of something that was pasted or dropped.
enum PasteOutcome: Sendable {
  /// What the history did with the text; `ignored` means that it is the newest clip already.
  case captured(CaptureOutcome)
  /// There was no text.
  case noText
  /// A password manager asks that it is not recorded.
  case secret
}
