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

  /// Takes clips off the list, whose ids ascend.
  func remove(_ ids: [Clip.ID])

  /// Asks whether texts may go that are too old by a clock that may be wrong.
  ///
  /// - Returns: false if nobody is there to be asked.
  func ask(_ question: Expiry.Question) -> Bool

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

  /// What is on the clipboard was left out, because a password manager marked it as secret.
  func leftOutSecret()

  /// Tells the user what was not done, and why.
  func say(_ failure: HistoryFailure)

  /// The history has to be opened anew: its file is damaged, or another one is in its place.
  func reopen(because error: StoreError)
}
