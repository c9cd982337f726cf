import GtkKit

/// Describes how long ago a clip was captured.
///
/// All times are in microseconds since 1970 UTC.
@MainActor
enum Age {
  private static let second: Int64 = 1_000_000
  private static let minute = 60 * second
  private static let hour = 60 * minute
  private static let day = 24 * hour

  /// The age of `time` at `now` in words, in the user's language, for a screen reader.
  ///
  /// An impossible time, from a wrong clock or a damaged file, counts as unknown.
  static func text(of time: Int64, at now: Int64) -> String {
    switch step(of: time, at: now) {
    case .unknown: tr("unknown time")
    case .now: tr("just now")
    case .minutes(let count): number(count) { trn("%s minute ago", "%s minutes ago", $0) }
    case .hours(let count): number(count) { trn("%s hour ago", "%s hours ago", $0) }
    case .yesterday: tr("yesterday at %s").filled(with: LocalTime.timeOfDay(time))
    case .days(let count): number(count) { trn("%s day ago", "%s days ago", $0) }
    case .date(let isThisYear): date(time, withYear: !isThisYear)
    }
  }

  /// The age of `time` at `now` as a row shows it, such as `5 min`; empty if it is unknown.
  static func short(of time: Int64, at now: Int64) -> String {
    switch step(of: time, at: now) {
    case .unknown: ""
    case .now: tr("just now")
    case .minutes(let count): tr("%s min").filled(with: String(count))
    case .hours(let count): tr("%s h").filled(with: String(count))
    case .yesterday: tr("yesterday")
    case .days(let count): number(count) { trn("%s day", "%s days", $0) }
    case .date(let isThisYear): date(time, withYear: !isThisYear)
    }
  }

  /// Ages as wide as any that a row shows: the longest of each kind, and a date in each month.
  static func samples(at now: Int64) -> [String] {
    [0, 59 * minute, 23 * hour, 30 * hour, 6 * day].map { short(of: now - $0, at: now) }
      + (0..<12).map { date(now - (365 + 30 * $0) * day) }
  }

  private enum Step {
    case unknown, now, minutes(Int), hours(Int), yesterday, days(Int), date(isThisYear: Bool)
  }

  private static func step(of time: Int64, at now: Int64) -> Step {
    guard let age = age(of: time, at: now) else { return .unknown }
    // This includes negative ages, which occur after the clock was set back.
    guard age >= minute else { return .now }
    guard age >= hour else { return .minutes(Int(age / minute)) }
    let days = LocalTime.day(now) - LocalTime.day(time)
    switch age {
    case _ where days == 0 || age < 6 * hour: return .hours(Int(age / hour))
    case _ where days == 1: return .yesterday
    case ..<(7 * day): return .days(days)
    default: return .date(isThisYear: LocalTime.year(time) == LocalTime.year(now))
    }
  }

  static func moment(_ time: Int64) -> String {
    guard time > 0 else { return tr("unknown time") }
    return date(time) + ", " + LocalTime.timeOfDay(time)
  }

  /// The date with its year, in the language's order, such as `26 Jul 2025`.
  static func date(_ time: Int64) -> String { date(time, withYear: true) }

  private static func date(_ time: Int64, withYear: Bool) -> String {
    let pattern =
      switch (LocalTime.hasMonthFirst, withYear) {
      // A pattern for g_date_time_format, in languages that put the day before the month.
      // xgettext:no-c-format
      case (false, false): tr("%-d %b")
      // xgettext:no-c-format
      case (false, true): tr("%-d %b %Y")
      // A pattern for g_date_time_format, in languages that put the month before the day.
      // xgettext:no-c-format
      case (true, false): tr("%b %-d")
      // xgettext:no-c-format
      case (true, true): tr("%b %-d, %Y")
      }
    return LocalTime.format(time, pattern)
  }

  /// The age of `time` at `now`; nil if `time` is before 1970 or more than a day in the future.
  private static func age(of time: Int64, at now: Int64) -> Int64? {
    guard time > 0, case let (age, isTooFar) = now.subtractingReportingOverflow(time), !isTooFar, age > -day
    else { return nil }
    return age
  }

  private static func number(_ count: Int, _ words: (Int) -> String) -> String {
    words(count).filled(with: String(count))
  }
}
