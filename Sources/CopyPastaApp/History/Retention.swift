import ClipHistory
import GtkKit

/// Deletes the items that are older than the user wants to keep, and asks first if the clock may be wrong.
@MainActor
final class Retention {
  /// How long after a look the next one is due while the window is shown.
  let interval: Duration
  private let preferences: @MainActor () -> Preferences
  private let clock: @Sendable () -> ClockReading
  /// The items whose deletion the user has confirmed, until the next run.
  private var confirmed: ExpiredClips?

  /// - Parameter preferences: called when they are needed, which is not for the first frame.
  init(
    _ preferences: @escaping @MainActor () -> Preferences, clock: @escaping @Sendable () -> ClockReading,
    each interval: Duration = .seconds(3600)
  ) {
    self.preferences = preferences
    self.clock = clock
    self.interval = interval
  }

  /// The items that are older than a period; nil if there is none.
  func expired(after period: RetentionPeriod, in store: HistoryStore) async throws(StoreError)
    -> ExpiredClips?
  {
    let found = try await store.findExpired(after: period, at: clock())
    return found?.count == 0 ? nil : found
  }

  /// Has the next run delete these items, and no others.
  func confirm(_ expired: ExpiredClips) { confirmed = expired }

  /// Keeps everything.
  func keepForever() {
    confirmed = nil
    preferences().retentionPeriod = .forever
  }

  /// Deletes what has expired by a believed clock, and what the user has confirmed.
  ///
  /// - Parameters:
  ///   - ask: shows the question about these items; nil if there is none.
  ///   - deleted: called with the items that expire, at first, and with the ids of each portion that was deleted.
  func run(
    on store: HistoryStore, asking ask: @MainActor (ExpiredClips?) -> Void,
    deleted: @escaping @MainActor @Sendable (ExpiredClips, [Clip.ID]) -> Void
  ) async throws(StoreError) {
    // A confirmation counts once, whatever becomes of it.
    let confirmation = confirmed
    confirmed = nil
    var next = confirmation?.period == preferences().retentionPeriod ? confirmation : nil
    while true {
      if let expired = next {
        deleted(expired, [])
        try await store.delete(expired) { [preferences] ids in
          deleted(expired, ids)
          // The user may have chosen to keep more.
          return preferences().retentionPeriod == expired.period
        }
      }
      let found = try await store.findExpired(after: preferences().retentionPeriod, at: clock())
      guard let found, found.count > 0 else {
        if let found, found.isClockBelieved { deleted(found, []) }
        return ask(nil)
      }
      guard found.isClockBelieved else { return ask(found) }
      next = found
    }
  }
}

extension RetentionPeriod {
  /// The choice in the user's words.
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
  /// How many items are older than the period, and the date by which they are.
  @MainActor var message: String {
    trn("%s item is older than %s (today is %s).", "%s items are older than %s (today is %s).", count)
      .filled(with: Format.number(count), period.words, LocalTime.format(reading.wallTime, tr("%-d %b %Y")))
  }

  /// Asks over a window before they are deleted; `confirmed` is called if the user wants that.
  @MainActor func ask(over window: Window, _ confirmed: @escaping @MainActor () -> Void) {
    ConfirmationDialog.ask(
      over: window, title: tr("Delete Older Items?"),
      text: message + " " + tr("They are deleted permanently."), action: tr("_Delete"), confirmed)
  }
}

/// The bar below the list that asks whether expired items may be deleted.
///
/// The bar takes no focus, and stays until the user answers or nothing is left to ask.
@MainActor
final class RetentionBar {
  /// The answer to the question.
  enum Answer {
    case delete(ExpiredClips)
    case keep
  }

  let root: Revealer
  private let bar: Widget
  private let label = Label()
  private let keepButton = Button(label: tr("_Keep"))
  private let giveBackFocus: @MainActor () -> Void
  private let answered: @MainActor (Answer) -> Void
  private var expired: ExpiredClips?
  private var isAnnounced = false
  private var pauseTimer: Timeout?

  /// - Parameters:
  ///   - giveBackFocus: moves the focus elsewhere, because its button closes.
  ///   - answered: receives the user's answer.
  init(giveBackFocus: @escaping @MainActor () -> Void, answered: @escaping @MainActor (Answer) -> Void) {
    self.giveBackFocus = giveBackFocus
    self.answered = answered
    label.wrap()
    let words = ScrollingBox(label)
    words.expand(horizontally: true)
    let deleteButton = Button(label: tr("_Delete"))
    deleteButton.addStyle("destructive-action")
    let buttons = Box(.horizontal, spacing: 6, [keepButton, deleteButton])
    bar = ReflowingBox(words, buttons)
    bar.setAccessibleRole(.group)
    bar.addStyle("retention-bar")
    root = Revealer(child: bar)
    keepButton.onClick(weakly(self) { $0.answer { _ in .keep } })
    deleteButton.onClick(weakly(self) { $0.answer(Answer.delete) })
  }

  /// Whether the user works in the window; the question is announced then.
  var canAnnounce = false {
    didSet { if canAnnounce { announce() } }
  }

  /// Asks about expired items; nil hides the bar.
  ///
  /// - Parameter canKeep: whether the setting can be changed, which *Keep* does.
  func show(_ expired: ExpiredClips?, canKeep: Bool = true) {
    keepButton.isEnabled = canKeep
    let isNew = self.expired?.message != expired?.message
    self.expired = expired
    guard isNew else { return }
    guard let message = expired?.message else {
      if root.hasFocusWithin { giveBackFocus() }
      // The words stay while the bar slides out.
      return root.isRevealed = false
    }
    label.text = message
    bar.setAccessibleName(message)
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
    // A screen reader first speaks the row that takes the focus as the window becomes active.
    pauseTimer = Timeout(after: .milliseconds(300)) { [weak self] in
      guard let self, canAnnounce, !isAnnounced, let message = expired?.message else { return }
      isAnnounced = true
      root.announce(message)
    }
  }
}
