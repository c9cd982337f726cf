import ClipHistory

/// The list view as `HistorySession` uses it; the content of the list comes from the model.
@MainActor
protocol HistoryView: AnyObject {
  /// Flashes a clip's row, because it was copied.
  func flash(_ id: Clip.ID)

  /// Marks the row of the clip that is on the clipboard; nil if there is none or it is not known.
  func markOnClipboard(_ id: Clip.ID?)

  func focus(_ id: Clip.ID)

  /// Moves the focus to the newest row, and then to each new row until the user uses the list.
  func focusNewest()

  func announce(_ event: HistoryEvent)
}

/// The list's window, which receives the events that do not concern a single row.
@MainActor
protocol HistoryDelegate: AnyObject {
  /// Offers to undo `count` deletions; 0 hides the offer.
  ///
  /// - Parameter wasCopied: Whether the last clip was copied before it was deleted.
  func showDeletions(_ count: Int, wasCopied: Bool)

  /// Called when a clip's whole text has been put on the clipboard.
  func copied()

  func show(_ text: ShownText, of clip: Clip)

  /// Shows whether the newest copy was skipped because a password manager marked it as secret.
  func showSecret(_ isSecret: Bool)

  /// Shows an operation that failed, with the reason.
  func show(_ failure: HistoryFailure)

  /// Asks whether to delete items that have expired according to a clock that may be wrong; nil withdraws the request.
  func ask(about expired: ExpiredClips?)

  /// Opens the history again, because its file is damaged or was replaced, or because an import has moved clips.
  func reopen(because error: StoreError, as failure: HistoryFailure)
}

extension HistoryDelegate {
  /// Reopens the history if that solves the problem; shows the failure otherwise.
  func show(_ error: StoreError, as failure: HistoryFailure) {
    switch error {
    case .damaged, .replaced: reopen(because: error, as: failure)
    default: show(failure)
    }
  }
}
