import GtkKit

/// Wakes up when the next age on the screen changes its words, and not before.
///
/// Hidden, it does not run.
@MainActor
final class AgeClock {
  private let now: @Sendable () -> Int64
  /// The times of the rows that are shown, in microseconds since 1970.
  private let times: @MainActor () -> [Int64]
  private let refresh: @MainActor () -> Void
  private var timer: Timeout?

  init(
    now: @escaping @Sendable () -> Int64, times: @escaping @MainActor () -> [Int64],
    refresh: @escaping @MainActor () -> Void
  ) {
    self.now = now
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

  /// Rows came into view that may change sooner.
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
    timer = Timeout(after: next) { [weak self] in self?.tick() }
  }
}
