/// The format that a password manager lists next to a text that should not be recorded.
///
/// Check the format's value: a user of xclip can also offer a format with this name, whose value is then the copied
/// text.
public enum SecretHint {
  /// The name of the format.
  public static let name = "x-kde-passwordManagerHint"

  /// How many bytes of the value to read; a longer value does not mark a secret.
  public static let longestValue = 4096

  /// Whether `value` marks a secret.
  ///
  /// If a program lists the format but refuses the value (nil) or sends an empty one, assume a secret.
  public static func isSecretHint(_ value: [UInt8]?) -> Bool {
    guard let value, let end = value.lastIndex(where: { $0 != 0 && $0 != UInt8(ascii: "\n") }) else {
      return true
    }
    return value[...end].elementsEqual("secret".utf8)
  }
}
