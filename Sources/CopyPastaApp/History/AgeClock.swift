import GtkKit

/// Wakes up when the next age in the list changes its words, and once a minute at least.
///
/// Timers stand still while the machine sleeps, and know nothing of a clock or a time zone that is set: after each of
/// them ages are right within a minute. While the window is hidden the clock does not run.
@MainActor
final class AgeClock {
  private let now: @Sendable () -> Int64
  /// The times of the rows, in microseconds since 1970.
  private let times: @MainActor () -> [Int64]
  private let refresh: @MainActor () -> Void
  private let longestSleep: Duration
  private var timer: Timeout?

  init(
    now: @escaping @Sendable () -> Int64, longestSleep: Duration = .seconds(60),
    times: @escaping @MainActor () -> [Int64], refresh: @escaping @MainActor () -> Void
  ) {
    self.now = now
    self.longestSleep = longestSleep
    self.times = times
    self.refresh = refresh
  }

  var isRunning = false {
    didSet {
      guard isRunning != oldValue else { return }
      timer = nil
      if isRunning { tick() }
    }
  }

  /// Rows came that may change sooner.
  func rowsChanged() {
    guard isRunning else { return }
    schedule()
  }

  private func tick() {
    refresh()
    schedule()
  }

  private func schedule() {
    let now = now()
    guard let next = times().map({ Age.timeUntilChange(of: $0, at: now) }).min() else {
      timer = nil
      return
    }
    timer = Timeout(after: min(next, longestSleep)) { [weak self] in self?.tick() }
  }
}
