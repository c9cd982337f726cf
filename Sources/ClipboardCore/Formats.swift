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

/// The format that a password manager lists beside a text that nobody should keep.
///
/// The format means that only with the value `secret`: xclip, told to offer it, gives its text for it.
public enum SecretHint {
  /// Its name.
  public static let name = "x-kde-passwordManagerHint"

  /// The longest value that is read, in bytes; a longer one is no secret's.
  public static let longestValue = 4096

  /// Whether a value marks a secret.
  ///
  /// A program that lists the format and keeps the value to itself is taken at its word: nil, for a refusal, and an
  /// empty value mean a secret.
  public static func marksSecret(_ value: [UInt8]?) -> Bool {
    guard let value, let end = value.lastIndex(where: { $0 != 0 && $0 != UInt8(ascii: "\n") }) else {
      return true
    }
    return value[...end].elementsEqual("secret".utf8)
  }
}
