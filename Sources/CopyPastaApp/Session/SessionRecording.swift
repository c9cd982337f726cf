import ClipHistory
import ClipboardCore

/// Recording what is copied in other programs, pasted and dropped.
extension HistorySession {
  /// Records the clipboard's text at the user's request, even if its row was deleted.
  func paste() {
    guard canRecord() else { return }
    transfers.add { [self] in
      // First finish any pending copy from the history, so that its text is on the clipboard.
      await queue.drain()
      do throws(TransferError) {
        switch try await source.readNewest() {
        case .text(let bytes): record(bytes, fromClipboard: true)
        case .own: if let text = clipboard.offeredText { record(text.bytes, fromClipboard: true) }
        case .noText: events.notify(.failed(.notRecorded(.noText)))
        case .secret: events.notify(.failed(.notRecorded(.secret)))
        }
      } catch {
        events.notify(.failed(.notRecorded(.unread(error))))
      }
    }
  }

  func record(_ drop: any DroppedText) {
    guard canRecord() else { return drop.finish(accepted: false) }
    transfers.add { [self] in
      do throws(TransferError) {
        let bytes = try await source.text(of: drop)
        drop.finish(accepted: true)
        record(bytes, fromClipboard: false)
      } catch {
        drop.finish(accepted: false)
        events.notify(.failed(.notRecorded(.unread(error))))
      }
    }
  }

  /// Whether the history is open; tells the user otherwise.
  private func canRecord() -> Bool {
    switch state {
    case .open: return true
    case .unavailable(let error): events.notify(.failed(.notRecorded(.failed(error))))
    case .opening: events.notify(.failed(.notRecorded(.failed(.locked))))
    case .recovering: break
    }
    return false
  }

  /// Records a pasted or dropped text, and focuses the newest row, which has that text even if it was a duplicate.
  private func record(_ bytes: [UInt8], fromClipboard: Bool) {
    queue.add { [self] in
      let outcome = await recorder.recordExplicitly(bytes, fromClipboard: fromClipboard)
      // First add earlier captures to the list, because the list is in the order of recording.
      arrivals.flush()
      // A row may have been copied since the text was read.
      show([outcome], areOnClipboard: fromClipboard && (clipboard.offeredText?.bytes ?? bytes) == bytes)
      if outcome.isInHistory { events.notify(.added) }
    }
  }

  /// Shows the outcomes of captures, in their order.
  ///
  /// - Parameter areOnClipboard: Whether the last text is still on the clipboard; false for dropped texts.
  func show(_ outcomes: [CaptureOutcome], areOnClipboard: Bool) {
    model.insertNewest(
      outcomes.compactMap { outcome -> Clip? in if case .recorded(let clip) = outcome { clip } else { nil } })
    for outcome in outcomes {
      events.notify(.secret(outcome == .secret))
      switch outcome {
      case .recorded(let clip):
        hasWritten()
        if areOnClipboard, isReading { onClipboard = clip.id }
      case .ignored, .nothingToRecord, .secret: break
      case .failed(let error): report(error, as: .notRecorded(outcome))
      case .invalid, .unread, .noText: events.notify(.failed(.notRecorded(outcome)))
      }
      if areOnClipboard, outcome.isOfAnotherText { onClipboard = nil }
    }
  }
}
