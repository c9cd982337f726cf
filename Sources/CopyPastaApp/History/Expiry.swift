import ClipHistory
import GtkKit

/// Deletes the texts that are older than the user wants to keep, and asks before if the clock may be wrong.
@MainActor
final class Expiry {
  /// The question before most of the history goes, after a time that may be the mistake of a clock.
  struct Question: Equatable {
    /// How many texts would go, of how many.
    let expired: Int
    let count: Int
    let time: KeepTime
    /// In microseconds since 1970 UTC, by the computer's clock.
    let now: Int64
  }

  private static let hour: Int64 = 3_600_000_000

  private let preferences: @MainActor () -> Preferences
  private let now: @Sendable () -> Int64
  private let state: KeyFile
  private var isAtWork = false
  private var isDue = false
  /// The choice for which the user knows how many texts go.
  private var agreed: KeepTime?
  /// The choice for which the user was asked; after a no, the question comes again after the next start.
  private var asked: KeepTime?

  /// - Parameters:
  ///   - preferences: asked for when they are needed, which is not for the first frame.
  ///   - now: the time, in microseconds since 1970 UTC.
  ///   - state: keeps when texts were last looked at.
  init(
    _ preferences: @escaping @MainActor () -> Preferences, now: @escaping @Sendable () -> Int64,
    keptIn state: KeyFile
  ) {
    self.preferences = preferences
    self.now = now
    self.state = state
  }

  /// How many texts go if they are kept only so long.
  func count(of time: KeepTime, in store: HistoryStore) async throws(StoreError) -> Int {
    try await store.ages(before: limit(of: time)).expired
  }

  /// Notes that the user knows how many texts go if they are kept only so long.
  func agree(to time: KeepTime) { agreed = time }

  /// Deletes what is too old; once more, if that is asked for meanwhile.
  ///
  /// - Parameters:
  ///   - ask: asks the user, who answers by `agree(to:)` and another run, or not at all; false if nobody is there.
  ///   - gone: called with the moment before which all goes, and the ids of a part of the clips that went, ascending.
  func run(
    on store: HistoryStore, asking ask: @MainActor (Question) -> Bool,
    gone: @escaping @MainActor @Sendable (_ limit: Int64, [Clip.ID]) -> Void
  ) async throws(StoreError) {
    isDue = true
    guard !isAtWork else { return }
    isAtWork = true
    defer { isAtWork = false }
    while isDue {
      isDue = false
      try await runOnce(on: store, asking: ask, gone: gone)
    }
  }

  private func runOnce(
    on store: HistoryStore, asking ask: @MainActor (Question) -> Bool,
    gone: @escaping @MainActor @Sendable (_ limit: Int64, [Clip.ID]) -> Void
  ) async throws(StoreError) {
    let (time, now) = (preferences().keepTime, now())
    let limit = limit(of: time)
    guard limit > 0 else { return }
    let ages = try await store.ages(before: limit)
    if ages.expired * 2 > ages.count, agreed != time, hasJumped(time, now, since: ages.newest) {
      let question = Question(expired: ages.expired, count: ages.count, time: time, now: now)
      if asked != time, ask(question) { asked = time }
      return
    }
    gone(limit, [])
    if ages.expired > 0 {
      try await store.deleteAll(before: limit) { [preferences] ids in
        gone(limit, ids)
        // The user may have chosen to keep more.
        return preferences().keepTime == time
      }
    }
    agreed = nil
    note(now)
  }

  private func limit(of time: KeepTime) -> Int64 { time.duration.map { max(now() - $0, 0) } ?? 0 }

  /// Whether texts are kept for less time than has passed since the newest of them, or since the last run, or nobody
  /// knows: the clock may be wrong, or the program was not used for so long.
  private func hasJumped(_ time: KeepTime, _ now: Int64, since newest: Int64) -> Bool {
    guard let duration = time.duration, let last = lastRun else { return true }
    return now - newest > duration || now - last > duration
  }

  // MARK: - The last run

  /// The time of the last run, in microseconds since 1970 UTC; nil if unknown.
  private var lastRun: Int64? { state.string("last-run").flatMap { Int64($0) }.map { max($0, 0) } }

  /// Notes the time of a run, at most once an hour.
  private func note(_ now: Int64) {
    if let lastRun, (0..<Self.hour).contains(now &- lastRun) { return }
    // If the time cannot be written, the next run takes the clock for one that may have jumped.
    do throws(GLibError) { try state.write(strings: [("last-run", String(now))]) } catch {}
  }
}

extension Expiry {
  /// Says when texts may have become too old: as the window becomes active, and each hour while it is shown.
  @MainActor
  final class Schedule {
    private let interval: Duration
    private let due: @MainActor () -> Void
    private var timer: Timeout?
    private var isActive = false

    init(each interval: Duration = .seconds(3600), due: @escaping @MainActor () -> Void) {
      self.interval = interval
      self.due = due
    }

    /// Follows what becomes of the window.
    func follow(isShown: Bool, isActive: Bool) {
      if !isShown {
        timer = nil
      } else if timer == nil {
        wait()
      }
      let wasActive = self.isActive
      self.isActive = isActive
      if isActive && !wasActive { due() }
    }

    private func wait() {
      timer = Timeout(
        after: interval,
        weakly(self) {
          $0.due()
          $0.wait()
        })
    }
  }
}

extension KeepTime {
  /// Asks over a window before texts are kept for less time; `confirmed` is called if the user wants that.
  @MainActor
  func ask(over window: Window, deleting count: Int, _ confirmed: @escaping @MainActor () -> Void) {
    ConfirmationDialog.ask(
      over: window, title: tr("Delete Older Texts?"),
      text: trn(
        "%s text is older than %s and will be deleted. This cannot be undone.",
        "%s texts are older than %s and will be deleted. This cannot be undone.", count
      ).filled(with: Format.number(count), words), action: tr("_Delete"), confirmed)
  }
}

extension Expiry.Question {
  /// Asks over the window of the history; `confirmed` is called if the texts may go.
  @MainActor
  func ask(over window: Window, _ confirmed: @escaping @MainActor () -> Void) {
    ConfirmationDialog.ask(
      over: window, title: tr("Delete Older Texts?"),
      text: trn(
        "%s of %s text is older than %s. By this computer’s clock, today is %s. If that date is wrong, cancel and set the clock.",
        "%s of %s texts are older than %s. By this computer’s clock, today is %s. If that date is wrong, cancel and set the clock.",
        expired
      ).filled(with: Format.number(expired), Format.number(count), time.words, LocalTime.format(now, "%x"))
        + " " + tr("The deletion cannot be undone."), action: tr("_Delete"), confirmed)
  }
}
