import CGtk
import Glibc

/// Formats numbers and times, in the user's language where that applies.
public enum Format {
  /// Formats a number of bytes with a binary unit, such as `1.2 MiB`.
  public static func size(_ bytes: Int) -> String {
    String(taking: g_format_size_full(guint64(clamping: bytes), copypasta_G_FORMAT_SIZE_IEC_UNITS))
  }

  /// Formats an integer with the language's separators, such as `1,204`.
  public static func number(_ value: Int) -> String {
    // The separator is in the encoding of the locale.
    withVaList([value]) { String(takingLocaleEncoded: g_strdup_vprintf("%'ld", $0)) }
  }

  /// Formats a time as ISO 8601, such as `2026-11-21T19:06:27.000042Z`; `time` is in microseconds since 1970 UTC.
  ///
  /// Returns an empty string before the year 1 and after 9999.
  public static func iso8601(_ time: Int64) -> String {
    let epoch = g_date_time_new_from_unix_utc(0)
    defer { g_date_time_unref(epoch) }
    guard let moment = g_date_time_add(epoch, gint64(time)) else { return "" }
    defer { g_date_time_unref(moment) }
    return String(taking: g_date_time_format(moment, "%Y-%m-%dT%H:%M:%S.%fZ"))
  }

  /// Parses the output of `iso8601` to microseconds since 1970 UTC; nil if the text has a different form.
  ///
  /// The fraction of a second may be shorter or missing.
  public static func microseconds(iso8601 text: String) -> Int64? {
    guard text.hasSuffix("Z"), text.utf8.count != 21 else { return nil }
    var whole = text.dropLast() + (text.utf8.count == 20 ? "." : "")
    whole += String(repeating: "0", count: max(26 - whole.utf8.count, 0))
    guard let moment = g_date_time_new_from_iso8601(String(whole.prefix(19)) + "Z", nil) else { return nil }
    defer { g_date_time_unref(moment) }
    guard let fraction = Int64(whole.suffix(6)) else { return nil }
    let time = Int64(g_date_time_to_unix(moment)) * 1_000_000 + fraction
    // GLib accepts other notations, too, so check that formatting the time gives the same text.
    return iso8601(time) == whole + "Z" ? time : nil
  }

  /// The current time, in microseconds since 1970 UTC.
  public static var now: Int64 { Int64(g_get_real_time()) }
}

/// Formats times in the user's time zone.
///
/// The time zone is cached, because looking it up for each row of a list would take longer than showing the row.
@MainActor
public enum LocalTime {
  private static var zone = g_time_zone_new_local()

  /// Looks up the time zone again, because the user may have changed it; returns whether it was changed.
  @discardableResult
  public static func updateZone() -> Bool {
    let old = zone
    defer { g_time_zone_unref(old) }
    zone = g_time_zone_new_local()
    return strcmp(g_time_zone_get_identifier(old), g_time_zone_get_identifier(zone)) != 0
  }

  /// Formats the time of day in the language's notation: `14:05` or `2:05 PM`; `time` is in microseconds since 1970
  /// UTC.
  public static func timeOfDay(_ time: Int64) -> String {
    format(time, hasTwelveHours ? "%-I:%M %p" : "%R")
  }

  /// Whether the language's time notation uses a 12-hour clock.
  private static var hasTwelveHours: Bool {
    guard let pattern = nl_langinfo(nl_item(T_FMT)) else { return false }
    return ["%r", "%I", "%l"].contains { (conversion: String) in strstr(pattern, conversion) != nil }
  }

  /// Whether the language's date notation has the month before the day.
  public static var hasMonthFirst: Bool {
    guard let pattern = nl_langinfo(nl_item(D_FMT)) else { return false }
    guard let month = strpbrk(pattern, "mbBD"), let day = strpbrk(pattern, "deD") else { return false }
    return month <= day
  }

  /// Formats a time with a `GDateTime` pattern; `time` is in microseconds since 1970 UTC.
  public static func format(_ time: Int64, _ pattern: String) -> String {
    withDateTime(time) { String(taking: g_date_time_format($0, pattern)) } ?? ""
  }

  /// Returns the local calendar day as a number that increases by one a day; `time` is in microseconds since 1970 UTC.
  public static func day(_ time: Int64) -> Int { Int((time + offset(time)) / 86_400_000_000) }

  /// The calendar year of `time`, which is in microseconds since 1970 UTC.
  public static func year(_ time: Int64) -> Int? {
    withDateTime(time) { Int(g_date_time_get_year($0)) }
  }

  /// The distance from UTC at `time`, both in microseconds.
  private static func offset(_ time: Int64) -> Int64 {
    withDateTime(time) { Int64(g_date_time_get_utc_offset($0)) } ?? 0
  }

  private static func withDateTime<Value>(_ time: Int64, _ body: (OpaquePointer) -> Value) -> Value? {
    guard let utc = g_date_time_new_from_unix_utc(gint64(time / 1_000_000)) else { return nil }
    defer { g_date_time_unref(utc) }
    guard let local = g_date_time_to_timezone(utc, zone) else { return nil }
    defer { g_date_time_unref(local) }
    return body(local)
  }
}
