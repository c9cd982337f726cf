/// The content of an offer on the clipboard.
public enum ClipboardContent: Equatable, Sendable {
  /// The offered text, byte for byte as the source application sent it. It may be empty, contain NULs, or be invalid
  /// UTF-8.
  case text([UInt8])
  /// The clipboard is empty, or holds only pictures, files and the like.
  case noText
  /// A text that a password manager asks programs not to record; the text itself was not requested.
  case secret
  /// This program's own offer; its text was not requested.
  case own
}
