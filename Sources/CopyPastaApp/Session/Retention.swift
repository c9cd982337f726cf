import ClipHistory
import GtkKit

/// Deletes the items that are older than the retention period, and asks first if the clock may be wrong.
@MainActor
final class Retention {
  /// The time between two runs while the window is shown.
  let interval: Duration
  private let preferences: @MainActor () -> Preferences
  private let clock: @Sendable () -> ClockReading
  /// The items whose deletion the user has confirmed; cleared at the next run.
  private var confirmed: ExpiredClips?
  private let questionChanged: @MainActor () -> Void
  var question: ExpiredClips? {
    didSet { if question != oldValue { questionChanged() } }
  }
  /// Runs the deletions separately from the user's actions, because they can take a long time and must not delay
  /// captures or copies.
  let queue = TaskQueue()
  /// Starts the next run while the window is shown.
  var timer: Timeout?
  /// The last failure, stored so that it is shown only once.
  var failure: StoreError?

  /// - Parameter preferences: Returns the preferences, which are not loaded before the first frame.
  init(
    _ preferences: @escaping @MainActor () -> Preferences, clock: @escaping @Sendable () -> ClockReading,
    each interval: Duration = .seconds(3600), questionChanged: @escaping @MainActor () -> Void
  ) {
    self.preferences = preferences
    self.clock = clock
    self.interval = interval
    self.questionChanged = questionChanged
  }

  func expired(after period: RetentionPeriod, in store: HistoryStore) async throws(StoreError)
    -> ExpiredClips?
  {
    let found = try await store.findExpired(after: period, at: clock())
    return found?.count == 0 ? nil : found
  }

  /// Makes the next run delete exactly these items, which the user has confirmed.
  func confirm(_ expired: ExpiredClips) { confirmed = expired }

  func keepForever() {
    (question, confirmed) = (nil, nil)
    preferences().retentionPeriod = .forever
  }

  /// Deletes the items that the user has confirmed and, if the clock is trusted, all expired items.
  ///
  /// - Parameters:
  ///   - isSettled: Returns whether no deleted item can come back. Otherwise, or while a question is open, a check that
  ///     finds nothing does not prove that the clock is right, because an expired item may be only hidden.
  ///   - deleted: Called with the expired items: without ids before the deletion, then with the ids of each deleted
  ///     batch. If the clock is trusted, called without ids when no expired item is left.
  func run(
    on store: HistoryStore, isSettled: @MainActor () -> Bool,
    deleted: @escaping @MainActor @Sendable (ExpiredClips, [Clip.ID]) -> Void
  ) async throws(StoreError) {
    try await store.expireQuarantine(after: preferences().retentionPeriod, at: clock().wallTime)
    // Use a confirmation only once, even if the deletion fails.
    let confirmation = confirmed
    confirmed = nil
    var next: ExpiredClips?
    if let confirmation, confirmation.period == preferences().retentionPeriod,
      confirmation.agrees(with: clock())
    {
      next = confirmation
    }
    while true {
      if let expired = next {
        deleted(expired, [])
        try await store.delete(expired) { [preferences] ids in
          deleted(expired, ids)
          // Stop if the user has changed the retention period since the last batch.
          return preferences().retentionPeriod == expired.period
        }
      }
      let wasSettled = isSettled() && question == nil
      let found = try await store.findExpired(after: preferences().retentionPeriod, at: clock())
      guard let found, found.count > 0 else {
        if let found, found.isClockBelieved || wasSettled && isSettled() && question == nil {
          await store.finishCheck(found)
        }
        if let found, found.isClockBelieved { deleted(found, []) }
        return question = nil
      }
      guard found.isClockBelieved else { return question = found }
      next = found
    }
  }
}

extension HistorySession {
  /// Deletes expired items or asks about them, now and each hour while a window shows the history.
  ///
  /// Runs concurrently with all other actions, once all clips are in the list.
  func expire() {
    retention.timer =
      attention == .hidden ? nil : Timeout(after: retention.interval, weakly(self) { $0.expire() })
    guard isStarted else { return }
    retention.queue.add { [self] in
      await loadRest()
      // While the history cannot be changed, do not ask: a yes could only fail.
      guard isOpen, obstacle == nil, model.oldestOfFirstPage == nil else { return retention.question = nil }
      do throws(StoreError) {
        try await retention.run(on: store) { [deletions] in
          !deletions.canReturn
        } deleted: { [model, deletions] expired, ids in
          deletions.forget(where: expired.includes)
          model.remove(ids)
        }
        retention.failure = nil
      } catch {
        // Show the same failure only once, although this runs each hour.
        if !isClosed, error != retention.failure { report(error, as: .notExpired(error)) }
        retention.failure = error
      }
    }
  }

  /// Returns the items that are older than `period`; nil if there are none.
  ///
  /// - Throws: `StoreError`, which may be the reason why the history cannot be changed.
  func expired(after period: RetentionPeriod) async throws(StoreError) -> ExpiredClips? {
    open()
    if state != .open(obstacle: nil) {
      tryAgain()
      await queue.drain()
    }
    switch state {
    case .open(nil): return try await retention.expired(after: period, in: store)
    case .open(let obstacle?): throw obstacle
    case .unavailable(let error): throw error
    case .opening, .recovering: throw .locked
    }
  }

  /// Deletes exactly these items, which the user has confirmed, and makes their period the retention period.
  func delete(_ expired: ExpiredClips) {
    retention.question = nil
    if let obstacle { return events.notify(.failed(.notExpired(obstacle))) }
    retention.confirm(expired)
    services.preferences.retentionPeriod = expired.period
    start()
  }

  /// Keeps all items from now on, and deletes none.
  func keepForever() { retention.keepForever() }
}
