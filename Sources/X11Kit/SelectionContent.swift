/// What a read found on the clipboard.
public enum SelectionContent: Sendable, Equatable {
  /// The text, byte for byte as its owner gave it: valid UTF-8 or not, with NULs or without, possibly empty.
  ///
  /// Only a text that its owner has as `STRING` alone (ISO 8859-1, ICCCM 2.6.2) has been converted.
  case text([UInt8])
  /// Nobody owns the clipboard, or its owner has no text: an image, files, nothing.
  case noText
  /// The owner marks it as a secret. The text was not asked for.
  case secret
  /// The clipboard belongs to the caller's own window. Nothing was asked for.
  case own
}
