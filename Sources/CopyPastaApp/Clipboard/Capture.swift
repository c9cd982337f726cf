import ClipHistory
import ClipboardCore

/// How a text arrived, and what became of it; the indicator, notices and announcements derive from it.
struct Capture: Equatable, Sendable {
  enum Way: Equatable, Sendable {
    /// Another program copied it, as the offer with this number.
    case copiedElsewhere(offer: Int)
    /// The user pasted the offer with this number.
    case pasted(offer: Int)
    /// The user pasted a text that this program had put on the clipboard, as the copy with this number.
    case pastedOwn(copy: Int)
    case dropped
    /// This program put it on the clipboard; it becomes the last captured text, without a row.
    case copied
  }

  let way: Way
  let outcome: CaptureOutcome

  /// Whether the user asked for a row, so that the newest row gets the focus.
  var isOnPurpose: Bool {
    switch way {
    case .pasted, .pastedOwn, .dropped: true
    case .copiedElsewhere, .copied: false
    }
  }
}

/// The outcome of recording a text.
enum CaptureOutcome: Equatable, Sendable {
  /// The text is on disk, so its row may be shown.
  case recorded(Clip)
  /// The text equals the last captured text, the newest clip's text or a copy from the history.
  case ignored
  /// The text is empty, is not valid UTF-8 or contains a NUL.
  case invalid(ClipText.Refusal)
  case unread(TransferError)
  case failed(StoreError)
  /// The text waits until another program releases its lock on the history or, after any other error, until the history
  /// is reopened.
  case waiting(StoreError)
  /// The text is lost, because too much already waits to be written.
  case overflow
  /// The clipboard has no text to paste.
  case noText
  /// The copied content is not text, or is empty.
  case nothingToRecord
  /// A password manager has asked that the text not be recorded.
  case secret

  /// Whether the newest clip has the text that the user pasted or dropped.
  var isInHistory: Bool {
    switch self {
    case .recorded, .ignored: true
    case .invalid, .unread, .failed, .waiting, .overflow, .noText, .nothingToRecord, .secret: false
    }
  }

  /// The outcome of a read that brought no text to record; nil if there is nothing to report.
  init?(_ delivery: ClipboardDelivery, _ way: Capture.Way) {
    switch (delivery, way) {
    case (.success(.secret), _): self = .secret
    case (.failure(.cancelled), .copiedElsewhere), (.success(.own), _), (.success(.text), _): return nil
    case (.failure(let error), _): self = .unread(error)
    case (.success(.noText), .copiedElsewhere), (.success(.noText), .copied): self = .nothingToRecord
    case (.success(.noText), .pasted), (.success(.noText), .pastedOwn): self = .noText
    case (.success(.noText), .dropped): self = .unread(.refused)
    }
  }
}
