import CGtk

/// Figures in the user's language.
public enum Format {
  /// A number of bytes with its unit, such as `1.2 MB`.
  public static func size(_ bytes: Int) -> String {
    take(g_format_size(guint64(clamping: bytes)))
  }

  /// A moment in local time by a `GDateTime` pattern; `time` in microseconds since 1970 UTC.
  public static func date(_ time: Int64, _ pattern: String) -> String {
    guard let utc = g_date_time_new_from_unix_utc(gint64(time / 1_000_000)) else { return "" }
    defer { g_date_time_unref(utc) }
    guard let local = g_date_time_to_local(utc) else { return "" }
    defer { g_date_time_unref(local) }
    return take(g_date_time_format(local, pattern))
  }

  /// The local calendar day of a moment, as a number that grows by one a day.
  public static func day(_ time: Int64) -> Int {
    guard let utc = g_date_time_new_from_unix_utc(gint64(time / 1_000_000)) else { return 0 }
    defer { g_date_time_unref(utc) }
    let offset = g_date_time_to_local(utc).map { local in
      defer { g_date_time_unref(local) }
      return Int64(g_date_time_get_utc_offset(local))
    }
    return Int(((time + (offset ?? 0)) / 1_000_000) / 86_400)
  }

  /// The present moment in microseconds since 1970 UTC.
  public static var now: Int64 { Int64(g_get_real_time()) }

  private static func take(_ text: UnsafeMutablePointer<CChar>?) -> String {
    guard let text else { return "" }
    defer { g_free(text) }
    return String(cString: text)
  }
}
