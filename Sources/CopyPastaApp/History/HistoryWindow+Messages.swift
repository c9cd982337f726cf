import ClipHistory
import GtkKit

/// What the window says about the session.
extension HistoryWindow {
  private var messages: MessageBar { body.messages }

  func showNotice(_ words: String) { messages.set(.notice, Message(words: words, lifetime: .brief)) }

  /// Shows what failed, without a reason that another message shows.
  func show(_ failure: HistoryFailure) {
    let kind: MessageBar.Kind =
      switch failure {
      case .unread: .unread
      case .notRecorded where failure.concernsWriting: .capture
      case .notRecorded: .refused
      default: .notice
      }
    let messages = kind == .notice ? dialogMessages() ?? self.messages : self.messages
    let reason = failure.reason.flatMap { messages.says($0, besides: kind) ? nil : $0 }
    let words = [failure.consequence, reason].compactMap(\.self).joined(separator: " ")
    if !words.isEmpty {
      messages.set(kind, Message(words: words, lifetime: kind == .unread ? .long : .brief))
    }
  }

  func showRecoveryOutcome() {
    if let outcome = session.recovery.take() { messages.set(.recovery, Message(words: outcome.message)) }
  }

  /// Offers to undo the deletions, while the history is open.
  func showUndo() {
    let deletions = session.deletions
    guard session.isOpen, deletions.count > 0 else { return messages.set(.undo, nil) }
    let undo = Message.Button(words: tr("Undo")) { [session] in session.undoAll() }
    messages.set(
      .undo,
      Message(words: deletions.message, buttons: [undo], isAnnounced: false) { deletions.forget() })
  }

  /// Asks about expired items.
  func showRetentionQuestion() {
    guard let expired = session.question else { return messages.set(.expired, nil) }
    let canKeep = session.services.preferences.isWritable(.retentionPeriod)
    let keep = Message.Button(words: tr("Keep"), isEnabled: canKeep) { [weak self] in
      self?.session.keepForever()
      self?.showNotice(tr("The history is now kept forever."))
    }
    let delete = Message.Button(words: tr("_Delete"), isDestructive: true) { [session] in
      session.delete(expired)
    }
    messages.set(.expired, Message(words: expired.question, buttons: [keep, delete]))
  }

  func showClearQuestion() {
    let count = session.count
    let warning =
      count == 0
      ? tr("The damaged history files will be deleted permanently.")
      : trn(
        "The only item will be deleted permanently.", "All %s items will be deleted permanently.", count
      ).filled(with: Format.number(count))
    let clear = Message.Button(words: tr("Clear History"), isDestructive: true) { [session] in
      session.clear()
    }
    messages.set(
      .clear,
      Message(
        words: tr("Clear History?") + " " + warning,
        buttons: [Message.Button(words: tr("Cancel")) {}, clear]))
  }
}

extension RecentDeletions {
  /// How many items were deleted.
  var message: String {
    guard count == 1 else {
      return trn("%s item deleted", "%s items deleted", count).filled(with: Format.number(count))
    }
    return lastWasCopied ? tr("Copied and deleted") : tr("Deleted")
  }
}

extension ExpiredClips {
  /// Asks whether to delete the items; shows the date, because the clock may be wrong.
  @MainActor var question: String {
    trn("%s item is older than %s (today is %s).", "%s items are older than %s (today is %s).", count)
      .filled(with: Format.number(count), period.words, Age.date(reading.wallTime))
      + " " + trn("Delete it permanently?", "Delete them permanently?", count)
  }

  /// What a shorter retention period deletes, with the date if the clock may be wrong.
  @MainActor var warning: String {
    let (number, date) = (Format.number(count), Age.date(reading.wallTime))
    return isClockBelieved
      ? trn(
        "%s item older than %s will be deleted permanently.",
        "%s items older than %s will be deleted permanently.", count
      ).filled(with: number, period.words)
      : trn(
        "%s item older than %s will be deleted permanently (today is %s).",
        "%s items older than %s will be deleted permanently (today is %s).", count
      ).filled(with: number, period.words, date)
  }
}

extension RetentionPeriod {
  var words: String {
    switch self {
    case .forever: tr("Forever")
    case .year: tr("1 year")
    case .threeMonths: tr("90 days")
    case .month: tr("30 days")
    case .week: tr("7 days")
    case .day: tr("1 day")
    }
  }
}
