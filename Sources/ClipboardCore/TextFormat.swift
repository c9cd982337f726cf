/// The names under which programs offer and ask for plain text, the preferred ones first.
///
/// `TEXT` comes last: its owner chooses the encoding, which may be one that we do not know (COMPOUND_TEXT), while
/// `STRING` is always ISO 8859-1.
public enum TextFormat: String, CaseIterable, Sendable {
  case utf8String = "UTF8_STRING"
  case plainUTF8 = "text/plain;charset=utf-8"
  case plainUpperUTF8 = "text/plain;charset=UTF-8"
  case plain = "text/plain"
  case string = "STRING"
  case text = "TEXT"

  /// All names, in order of preference.
  public static let names = allCases.map(\.rawValue)

  /// The names that are MIME types.
  ///
  /// On Wayland only these are offered: GDK would list another one, and leave whoever asks for it waiting for ever.
  public static let mimeTypes = names.filter { $0.contains("/") }
}
