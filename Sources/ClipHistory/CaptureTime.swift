/// Which times a capture can have, in microseconds since 1970 UTC.
///
/// The file is not trusted: one flipped bit turns a time into any number, and is no error.
enum CaptureTime {
  /// A time that nobody knows.
  static let unknown: Int64 = 0

  /// The last microsecond of the year 9999, the last that ISO 8601 can write.
  static let latest: Int64 = 253_402_300_799_999_999

  /// How far a clock that is only adjusted may be set back, in microseconds; further is a jump.
  private static let adjustment: Int64 = 60_000_000

  /// The time itself, or `unknown` if nothing can have been captured then.
  static func plausible(_ time: Int64) -> Int64 { (1...latest).contains(time) ? time : unknown }

  /// The time of a capture at `now`, after one at `last`.
  ///
  /// The time is the clock's own, so that a jump is forgotten with the rows that were recorded during it. Only while a
  /// clock is adjusted a little, the time stands still, so that times ascend with ids as far as they can.
  static func next(after last: Int64, at now: Int64) -> Int64 {
    let (last, now) = (plausible(last), plausible(now))
    return last > now && last - now <= adjustment ? last : now
  }
}
