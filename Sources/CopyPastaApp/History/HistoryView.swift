import ClipHistory

/// Who shows what `HistoryController` does.
@MainActor
protocol HistoryView: AnyObject {
  /// Shows a clip that was just recorded, at the top.
  func insert(_ clip: Clip)

  /// Takes a clip off the list.
  ///
  /// - Returns: Its row, for `restore`; nil if it is not in the list.
  @discardableResult
  func remove(_ id: Clip.ID) -> Clip?

  /// Takes every clip off the list.
  func removeAll()

  /// Puts a clip back at its old place.
  func restore(_ clip: Clip)

  /// Marks a clip's row as copied, for a moment.
  func flash(_ id: Clip.ID)

  /// Moves the focus to a clip's row.
  func focus(_ id: Clip.ID)

  /// Moves the focus to the newest row.
  func focusNewest()

  /// Offers to undo so many deletions, or none.
  func showDeletions(_ count: Int)

  /// A text of the history is on the clipboard now.
  func copied()

  /// Tells a screen reader what was done.
  func announce(_ event: HistoryEvent)

  /// Tells the user what was not done, and why.
  func say(_ failure: HistoryFailure)

  /// The history has to be opened anew: its file is damaged, or another one is in its place.
  func reopen(because error: StoreError)
}

/// What was done, as far as the list does not say it to a screen reader.
enum HistoryEvent {
  case copied, copiedAndDeleted, deleted, restored
}

/// What was not done, and why.
enum HistoryFailure: Equatable {
  /// A text, or a part of the list, could not be read.
  case notRead(StoreError)
  /// The text that was to be copied is not in the history any more.
  case gone
  /// The desktop does not let the program have the clipboard.
  case clipboardUnavailable
  /// Another program has copied something at the same moment.
  case clipboardTaken
  case notDeleted(StoreError)
  case notRestored(StoreError)
  case notCleared(StoreError)
  case notRecorded(CaptureOutcome)
}
