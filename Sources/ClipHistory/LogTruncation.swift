import SerialQueue

/// The emptying of the log that a deletion owes.
///
/// A reader keeps the log as it is. So it is tried at once, at each later write, a few times by itself, and at the end.
struct LogTruncation {
  /// Whether the log may still hold a deleted text.
  private(set) var isOwed: Bool

  private let timeouts: HistoryStore.LockTimeouts
  private var delays: ArraySlice<Duration> = []
  private var timer: DispatchTimer?

  init(isOwed: Bool, timeouts: HistoryStore.LockTimeouts) {
    self.isOwed = isOwed
    self.timeouts = timeouts
  }

  /// Notes that a text was deleted.
  mutating func owe() { isOwed = true }

  /// Empties the log if that is owed; a reader in the way, or a failure, leaves it owed.
  ///
  /// A failure is not thrown: the row is away, and to say otherwise would be wrong.
  mutating func attempt(on connection: Connection) {
    guard isOwed else { return }
    do throws(StoreError) {
      isOwed = try !connection.truncateLog(waiting: timeouts.readers)
    } catch {
      // It stays owed.
    }
  }

  /// Begins anew with the tries that need no write; each is to end with `scheduleNext`.
  mutating func scheduleAll(on queue: SerialQueue, _ attempt: @escaping @Sendable () -> Void) {
    delays = timeouts.retries[...]
    scheduleNext(on: queue, attempt)
  }

  /// Calls `attempt` once, later, if the truncation is still owed and not all tries have been made.
  mutating func scheduleNext(on queue: SerialQueue, _ attempt: @escaping @Sendable () -> Void) {
    let delay = isOwed ? delays.popFirst() : nil
    timer = delay.map { DispatchTimer(after: $0, on: queue, attempt) }
  }

  /// Schedules no more tries.
  mutating func cancel() { timer = nil }
}
