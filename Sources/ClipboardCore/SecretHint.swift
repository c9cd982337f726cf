/// The format that a password manager lists beside a text that nobody should keep.
///
/// It means that only with the value `secret`: xclip, told to offer this format, gives its text for it.
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
