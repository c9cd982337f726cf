import ClipHistory
import GtkKit

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

  /// The message, and the question what to do.
  @MainActor var question: String {
    message + " " + trn("Delete it permanently?", "Delete them permanently?", count)
  }

  /// Asks in a dialog above a window whether to delete the items, and calls `confirmed` if the user agrees.
  @MainActor func ask(over window: Window, _ confirmed: @escaping @MainActor () -> Void) {
    ConfirmationDialog.ask(
      over: window, title: tr("Delete Older Items?"),
      text: message + " " + tr("They are deleted permanently."), action: tr("_Delete"), confirmed)
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

  /// Stays empty until the bar is first shown, so that the first frame does not wait for its content.
  let root = Revealer()
  private lazy var content = makeContent()
  private let giveBackFocus: @MainActor () -> Void
  private let answered: @MainActor (Answer) -> Void
  private var expired: ExpiredClips?
  private var isAnnounced = false
  private var pauseTimer: Timeout?

  /// - Parameters:
  ///   - giveBackFocus: Moves the focus back when the bar closes while one of its buttons has the focus.
  ///   - answered: Receives the user's answer.
  init(giveBackFocus: @escaping @MainActor () -> Void, answered: @escaping @MainActor (Answer) -> Void) {
    self.giveBackFocus = giveBackFocus
    self.answered = answered
  }

  private func makeContent() -> (bar: Widget, label: Label, keepButton: Button) {
    let label = Label()
    label.wrap()
    let words = ScrollingBox(label)
    words.expand(horizontally: true)
    let deleteButton = Button(label: tr("_Delete"))
    deleteButton.addStyle("destructive-action")
    let keepButton = Button(label: tr("_Keep Forever"))
    let bar = ReflowingBox(words, ReflowingBox(keepButton, deleteButton))
    bar.setAccessibleRole(.group)
    bar.addStyle("retention-bar")
    keepButton.onClick(weakly(self) { $0.answer { _ in .keep } })
    deleteButton.onClick(weakly(self) { $0.answer(Answer.delete) })
    root.setChild(bar)
    return (bar, label, keepButton)
  }

  /// Whether the window is active; the message is announced when it becomes active.
  var canAnnounce = false {
    didSet { if canAnnounce { announce() } }
  }

  /// Asks about expired items; nil hides the bar.
  ///
  /// - Parameter canKeep: Whether the setting is writable; the *Keep* button changes it.
  func show(_ expired: ExpiredClips?, canKeep: Bool = true) {
    let isNew = self.expired?.question != expired?.question
    self.expired = expired
    if expired != nil { content.keepButton.isEnabled = canKeep }
    guard isNew else { return }
    guard let message = expired?.question else {
      if root.hasFocusWithin { giveBackFocus() }
      // Keep the text while the bar slides out.
      return root.isRevealed = false
    }
    content.label.text = message
    content.bar.setAccessibleName(message)
    root.isRevealed = true
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
    // Wait, because a screen reader first announces the row that gets the focus as the window becomes active.
    pauseTimer = Timeout(after: .milliseconds(300)) { [weak self] in
      guard let self, canAnnounce, !isAnnounced, let message = expired?.question else { return }
      isAnnounced = true
      root.announce(message)
    }
  }
}
