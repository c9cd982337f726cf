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

  /// - Parameter preferences: Returns the preferences, which are not loaded before the first frame.
  init(
    _ preferences: @escaping @MainActor () -> Preferences, clock: @escaping @Sendable () -> ClockReading,
    each interval: Duration = .seconds(3600)
  ) {
    self.preferences = preferences
    self.clock = clock
    self.interval = interval
  }

  /// Returns the items that are older than `period`; nil if there are none.
  func expired(after period: RetentionPeriod, in store: HistoryStore) async throws(StoreError)
    -> ExpiredClips?
  {
    let found = try await store.findExpired(after: period, at: clock())
    return found?.count == 0 ? nil : found
  }

  /// Makes the next run delete exactly these items, which the user has confirmed.
  func confirm(_ expired: ExpiredClips) { confirmed = expired }

  func keepForever() {
    confirmed = nil
    preferences().retentionPeriod = .forever
  }

  /// Deletes the items that the user has confirmed and, if the clock is trusted, all expired items.
  ///
  /// - Parameters:
  ///   - ask: Asks about expired items if the clock is not trusted; called with nil if there is nothing to ask.
  ///   - deleted: Called with the expired items and no ids before the deletion, and again with the ids of each deleted
  ///     batch. If the clock is trusted, also called with no ids when no expired item is left.
  func run(
    on store: HistoryStore, asking ask: @MainActor (ExpiredClips?) -> Void,
    deleted: @escaping @MainActor @Sendable (ExpiredClips, [Clip.ID]) -> Void
  ) async throws(StoreError) {
    // Use a confirmation only once, even if the deletion fails.
    let confirmation = confirmed
    confirmed = nil
    var next = confirmation?.period == preferences().retentionPeriod ? confirmation : nil
    while true {
      if let expired = next {
        deleted(expired, [])
        try await store.delete(expired) { [preferences] ids in
          deleted(expired, ids)
          // Stop if the user has changed the retention period since the last batch.
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
