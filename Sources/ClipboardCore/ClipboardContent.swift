/// What an offer on the clipboard turned out to be.
public enum ClipboardContent: Equatable, Sendable {
  /// Its text, byte for byte as the owner sent it: valid UTF-8 or not, with NULs or without, possibly empty.
  case text([UInt8])
  /// Nobody offers anything, or only pictures, files and the like.
  case noText
  /// A password manager asks that it is not recorded. Its text was not asked for.
  case secret
  /// This program's own. Nothing was asked for.
  case own
}
