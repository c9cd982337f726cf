import ClipHistory

/// The list on the screen, as `HistoryController` knows it; the model tells the list what is in it.
@MainActor
protocol HistoryView: AnyObject {
  /// Marks a clip's row as copied, for a moment.
  func flash(_ id: Clip.ID)

  /// Marks the row of the clip that is on the clipboard, as far as that is known; nil for none.
  func markOnClipboard(_ id: Clip.ID?)

  /// Moves the focus to a clip's row.
  func focus(_ id: Clip.ID)

  /// Moves the focus to the newest row, and to each newer one until the user makes a choice.
  func focusNewest()

  /// Tells a screen reader what was done.
  func announce(_ event: HistoryEvent)
}

/// The window around the list, which hears what is not about a row.
@MainActor
protocol HistoryDelegate: AnyObject {
  /// Offers to undo so many deletions, or none.
  func showDeletions(_ count: Int)

  /// A text of the history is on the clipboard now.
  func copied()

  /// Shows the text of a clip in a window of its own.
  func show(_ text: ShownText, of clip: Clip)

  /// Shows whether the newest copy was skipped, because a password manager marked it as secret.
  func showSecret(_ isSecret: Bool)

  /// Tells the user what was not done, and why.
  func show(_ failure: HistoryFailure)

  /// Asks whether these items, expired by a clock that may be wrong, are to be deleted; nil if there is no question.
  func ask(about expired: ExpiredClips?)

  /// The history has to be opened anew: its file is damaged, or another one is in its place.
  func reopen(because error: StoreError)
}
