import ClipHistory
import GtkKit
import SerialQueue

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

extension ExpiredClips {
  /// How many items are older than the retention period, and the date that the clock shows.
  @MainActor var message: String {
    trn("%s item is older than %s (today is %s).", "%s items are older than %s (today is %s).", count)
      .filled(with: Format.number(count), period.words, Age.date(reading.wallTime))
  }

  /// The message, and the question whether to delete the items.
  @MainActor var question: String {
    message + " " + trn("Delete it permanently?", "Delete them permanently?", count)
  }

  /// The message, and the consequence of confirming, for a dialog.
  @MainActor var warning: String {
    message + " " + trn("It is deleted permanently.", "They are deleted permanently.", count)
  }
}

/// The bar below the list that asks whether to delete expired items.
///
/// The bar does not take the focus, and stays until the user answers or no expired items are left.
@MainActor
final class RetentionBar {
  enum Answer {
    case delete(ExpiredClips)
    case keep
  }

  private lazy var bar = Bar("retention-bar", giveBackFocus: giveBackFocus) { [weak self] in
    let delete = Button(label: tr("_Delete")) { self?.answer(Answer.delete) }
    delete.addStyle("destructive-action")
    return (ReflowingBox(self?.keepButton ?? delete, delete), nil)
  }
  private lazy var keepButton = makeKeepButton()
  private let giveBackFocus: @MainActor () -> Void
  private let answered: @MainActor (Answer) -> Void
  private var expired: ExpiredClips?
  private var isAnnounced = false

  /// - Parameters:
  ///   - giveBackFocus: Moves the focus back when the bar closes while one of its buttons has the focus.
  ///   - answered: Receives the user's answer.
  init(giveBackFocus: @escaping @MainActor () -> Void, answered: @escaping @MainActor (Answer) -> Void) {
    self.giveBackFocus = giveBackFocus
    self.answered = answered
  }

  var root: Revealer { bar.root }

  private func makeKeepButton() -> Button {
    let button = Button(label: tr("_Keep History Forever"), weakly(self) { $0.answer { _ in .keep } })
    button.wrapLabel()
    return button
  }

  /// Whether the window is active; the message is announced when it becomes active.
  var canAnnounce = false {
    didSet {
      bar.canAnnounce = canAnnounce
      if canAnnounce { announce() }
    }
  }

  /// Asks about expired items; nil hides the bar.
  ///
  /// - Parameter canKeep: Whether the setting is writable; the *Keep History Forever* button changes it.
  func show(_ expired: ExpiredClips?, canKeep: Bool = true) {
    let isNew = self.expired?.question != expired?.question
    self.expired = expired
    if expired != nil { keepButton.isEnabled = canKeep }
    guard isNew else { return }
    guard let question = expired?.question else { return bar.hide() }
    bar.show(question)
    isAnnounced = false
    if canAnnounce { announce() }
  }

  private func answer(_ answer: (ExpiredClips) -> Answer) {
    guard let expired else { return }
    show(nil)
    answered(answer(expired))
  }

  private func announce() {
    guard !isAnnounced, expired != nil else { return }
    bar.announce { [weak self] in
      guard let self, !isAnnounced, let question = expired?.question else { return nil }
      isAnnounced = true
      return question
    }
  }
}

/// The dialog that asks whether to delete the items older than a newly chosen period; it counts again after deletions.
@MainActor
final class RetentionQuestion {
  private let session: HistorySession
  private var expired: ExpiredClips
  private var dialog: ConfirmationDialog?
  private var token: ListenerToken?

  init(
    _ expired: ExpiredClips, over window: Window, _ session: HistorySession,
    closed: @escaping @MainActor () -> Void
  ) {
    (self.session, self.expired) = (session, expired)
    dialog = ConfirmationDialog.ask(
      over: window, title: tr("Delete Older Items?"), text: expired.warning, action: tr("_Delete"),
      closed: closed
    ) {
      session.delete(self.expired)
    }
    token = session.events.add(
      weakly(self) { question, event in
        if case .countChanged = event { Task.unpooled { await question.countAgain() } }
      })
  }

  private func countAgain() async {
    // Wait for the disk, because a row leaves the list before it is deleted there.
    await session.drainActions()
    do throws(StoreError) {
      if let found = try await session.expired(after: expired.period) {
        expired = found
        dialog?.text = found.warning
      } else {
        dialog?.close()
      }
    } catch {
      // If the user confirms, the deletion fails as well and shows the reason.
    }
  }
}
