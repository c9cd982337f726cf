import Glibc

/// How long the user wants to keep items; the raw value is the value of the setting.
public enum RetentionPeriod: String, CaseIterable, Sendable {
  case forever = "always"
  case year = "1-year"
  case threeMonths = "90-days"
  case month = "30-days"
  case week = "7-days"
  case day = "1-day"

  /// The period in microseconds; nil for forever.
  public var duration: Int64? {
    let days: [RetentionPeriod: Int64] = [.year: 365, .threeMonths: 90, .month: 30, .week: 7, .day: 1]
    return days[self].map { $0 * RetentionPolicy.day }
  }

  /// Whether items expire earlier than with `other`.
  public func isShorter(than other: RetentionPeriod) -> Bool { duration ?? .max < other.duration ?? .max }

  /// Returns the time before which items expire, in microseconds since 1970 UTC; nil if none expires.
  public func limit(at now: Int64) -> Int64? {
    guard let duration, case let (limit, overflows) = now.subtractingReportingOverflow(duration) else {
      return nil
    }
    return overflows || limit <= 0 ? nil : limit
  }
}

/// What the computer's clocks show at one moment.
public struct ClockReading: Sendable, Equatable {
  /// The wall clock, in microseconds since 1970 UTC.
  public let wallTime: Int64
  /// The time since the computer started, including suspension, in microseconds.
  public let bootTime: Int64
  /// The kernel's id for the current boot; empty if unknown.
  public let bootID: String

  /// Creates a reading from its parts, for tests and for readings from the database.
  public init(wallTime: Int64, bootTime: Int64, bootID: String) {
    self.wallTime = wallTime
    self.bootTime = bootTime
    self.bootID = bootID
  }

  /// Combines this wall time with the kernel's boot clock.
  public static func now(wallTime: Int64) -> ClockReading {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return ClockReading(
      wallTime: wallTime, bootTime: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000,
      bootID: currentBootID)
  }

  /// Whether a working clock can show this time; 1980 is possible, because some clocks without a battery start there.
  var isPlausible: Bool { CaptureTime.believableClocks.contains(wallTime) }

  /// Whether this reading is less than an hour after `last`, in the same boot; it then does not have to be stored.
  ///
  /// Within one boot either reading serves equally well, and after a reboot an hour makes no difference.
  func isWithinAnHour(of last: ClockReading?) -> Bool {
    guard let last, last.bootID == bootID else { return false }
    return (0..<3_600_000_000).contains(wallTime - last.wallTime)
  }

  static let currentBootID: String = {
    do throws(StoreError) {
      // The file contains a UUID of 36 characters.
      let id = try RawFile("/proc/sys/kernel/random/boot_id")?.bytes(at: 0, count: 36)
      return id.map { String(decoding: $0, as: UTF8.self) } ?? ""
    } catch { return "" }
  }()
}

/// Decides whether to trust the wall clock when clips expire.
enum RetentionPolicy {
  static let day: Int64 = 86_400_000_000

  /// The tolerated difference between wall clock and boot clock within one boot, in microseconds.
  private static let tolerance: Int64 = 120_000_000

  /// Whether the wall clock agrees with the time that has passed since the last check for expired clips.
  ///
  /// After a reboot, the time that the computer was off is unknown. The clock is then trusted if it is not behind the
  /// last check, and ahead of it by at most a tenth of the period or a day, whichever is longer.
  static func believes(_ now: ClockReading, after last: ClockReading?, keeping period: Int64) -> Bool {
    guard let last, now.isPlausible, last.isPlausible else { return false }
    return agree(now, last, keeping: period)
  }

  /// Whether the wall clock was probably not set between two readings.
  static func agree(_ now: ClockReading, _ last: ClockReading, keeping period: Int64) -> Bool {
    let passed = now.wallTime - last.wallTime
    if now.bootID == last.bootID, !now.bootID.isEmpty {
      // The last reading comes from the file, where a damaged bit can change it to any number, so the subtraction may
      // overflow.
      let (sinceLast, overflows) = now.bootTime.subtractingReportingOverflow(last.bootTime)
      return !overflows && sinceLast >= 0
        && (passed - tolerance...passed + tolerance).contains(sinceLast)
    }
    return passed >= 0 && passed <= max(period / 10, day)
  }
}
