/// The formats for plain text that programs offer and request, in order of preference.
///
/// `TEXT` comes last, because the owner chooses its encoding, which may be one that we do not support (COMPOUND_TEXT).
/// `STRING` is always ISO 8859-1.
public enum TextFormat: String, CaseIterable, Sendable {
  case utf8String = "UTF8_STRING"
  case plainUTF8 = "text/plain;charset=utf-8"
  case plainUpperUTF8 = "text/plain;charset=UTF-8"
  case plain = "text/plain"
  case string = "STRING"
  case text = "TEXT"

  /// All formats, in order of preference.
  public static let names = allCases.map(\.rawValue)

  /// The formats that are MIME types.
  ///
  /// On Wayland, offer only these: GDK would list other formats, but never answer a request for them.
  public static let mimeTypes = allCases.filter(\.isMimeType).map(\.rawValue)

  /// All formats, in the order in which to ask for them on Wayland: MIME types first.
  ///
  /// There GTK 4 programs also list X11 formats such as `UTF8_STRING`, but send no data for them.
  public static let mimeTypesFirst = allCases.filter(\.isMimeType) + allCases.filter { !$0.isMimeType }

  private var isMimeType: Bool { rawValue.contains("/") }
}
