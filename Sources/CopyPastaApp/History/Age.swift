import GtkKit

/// How long ago something was, in words, and for how long the words stay true.
///
/// Times in microseconds.
@MainActor
enum Age {
  private static let second: Int64 = 1_000_000
  private static let minute = 60 * second
  private static let hour = 60 * minute
  private static let day = 24 * hour

  /// The words to say at `now` of what was at `time`.
  ///
  /// A time that cannot be one is not shown as one: the clock was wrong, or the file is damaged.
  static func text(of time: Int64, at now: Int64) -> String {
    guard let age = age(of: time, at: now) else { return tr("at an unknown time") }
    let days = LocalTime.day(now) - LocalTime.day(time)
    switch age {
    // Also after a clock that was set back.
    case ..<minute: return tr("just now")
    case ..<hour: return count(age / minute) { trn("%s minute ago", "%s minutes ago", $0) }
    case _ where days == 0 || age < 6 * hour:
      return count(age / hour) { trn("%s hour ago", "%s hours ago", $0) }
    case _ where days == 1: return tr("yesterday at %s").filled(with: LocalTime.timeOfDay(time))
    case ..<(7 * day): return count(Int64(days)) { trn("%s day ago", "%s days ago", $0) }
    default: return date(of: time, at: now)
    }
  }

  /// The date and time of day of a moment.
  static func moment(_ time: Int64) -> String {
    guard time > 0 else { return tr("at an unknown time") }
    // The day of the month, the month's short name and the year, as the language writes them.
    return LocalTime.format(time, tr("%-d %b %Y")) + ", " + LocalTime.timeOfDay(time)
  }

  /// The day of a time, in short, as the language writes it: `14 Nov`, and of another year `26 Jul 2025`.
  private static func date(of time: Int64, at now: Int64) -> String {
    let isOfThisYear = LocalTime.format(time, "%Y") == LocalTime.format(now, "%Y")
    let pattern =
      switch (LocalTime.hasMonthFirst, isOfThisYear) {
      // A date's conversions for GLib (g_date_time_format), where the day comes before the month.
      case (false, true): tr("%-d %b")
      case (false, false): tr("%-d %b %Y")
      // The same, where the month comes before the day.
      case (true, true): tr("%b %-d")
      case (true, false): tr("%b %-d, %Y")
      }
    return LocalTime.format(time, pattern)
  }

  /// How long from `now` the words may change; never less than a second.
  static func timeUntilChange(of time: Int64, at now: Int64) -> Duration {
    let age = max(age(of: time, at: now) ?? day, 0)
    // Up to a day the words count minutes or hours from the time itself; later they change with the calendar, which
    // a look each hour follows closely enough.
    let step = age < hour ? minute : hour
    return .microseconds(max(step - age % step, second))
  }

  /// Nil before 1970, and if `time` is more than a day ahead.
  private static func age(of time: Int64, at now: Int64) -> Int64? {
    guard time > 0, case let (age, isTooFar) = now.subtractingReportingOverflow(time), !isTooFar, age > -day
    else { return nil }
    return age
  }

  private static func count(_ number: Int64, _ words: (Int) -> String) -> String {
    words(Int(number)).filled(with: String(number))
  }
}

extension Age {
  /// Wakes up when the next age in the list changes its words, and once a minute at least.
  ///
  /// Timers stand still while the machine sleeps, and know nothing of a clock or a time zone that is set: after each of
  /// them ages are right within a minute. While the window is hidden the clock does not run.
  @MainActor
  final class Clock {
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

    /// Looks at the times again: rows came that may change sooner.
    func rowsChanged() {
      if isRunning { schedule() }
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
      timer = Timeout(after: min(next, longestSleep), weakly(self) { $0.tick() })
    }
  }
}
