import ClipHistory
import ClipboardCore

/// Recording texts that are copied in other programs, pasted or dropped.
extension HistorySession {
  /// Records the clipboard's text at the user's request, even if its row was deleted.
  func paste() {
    if checkIsOpen() { intake.paste() }
  }

  /// Ends the paste that waits for its text; returns false if there is none.
  func cancelPaste() -> Bool { isOpen && intake.cancelPaste() }

  /// Records a text that the user has dropped on the window.
  func record(_ drop: any DroppedText) {
    if checkIsOpen() { intake.drop(drop) } else { drop.finish(accepted: false) }
  }

  /// Whether the history is open; otherwise shows the reason.
  private func checkIsOpen() -> Bool {
    switch state {
    case .open: return true
    case .unavailable(let error): events.notify(.failed(.notRecorded(.failed(error))))
    // While the history is opened again, no other program is the reason.
    case .opening where model.isOpen: events.notify(.failed(.notRecorded(.unread(.cancelled))))
    case .opening: events.notify(.failed(.notRecorded(.failed(.locked))))
    case .recovering: break
    }
    return false
  }

  /// Inserts the new rows and reports the failures, in order.
  func show(_ captures: [Capture]) {
    model.insertNewest(
      captures.compactMap { capture -> Clip? in
        if case .recorded(let clip) = capture.outcome { clip } else { nil }
      })
    for capture in captures {
      let outcome = capture.outcome
      switch outcome {
      case .recorded: didWrite()
      case .ignored, .nothingToRecord: break
      case .secret: if capture.isOnPurpose { events.notify(.failed(.notRecorded(outcome))) }
      case .waiting(let error) where capture.way == .copied && error != .replaced && error != .damaged:
        retry(after: error)
      case .failed(let error), .waiting(let error): report(error, as: .notRecorded(outcome))
      case .unread(.unavailable) where !capture.isOnPurpose:
        events.notify(.stateChanged)
        events.notify(.failed(.notRecorded(outcome)))
      case .invalid, .unread, .overflow, .noText: events.notify(.failed(.notRecorded(outcome)))
      }
      // The newest row has the text even if it was a duplicate.
      if capture.isOnPurpose, outcome.isInHistory { events.notify(.added) }
    }
  }
}
