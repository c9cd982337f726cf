/// The content of an offer on the clipboard.
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

/// Why there is no text though one was offered, or why a text could not be offered.
///
/// None of them carries a byte of what was read.
public enum TransferError: Error, Equatable, Sendable {
  /// The owner did not answer, or stopped in between.
  case timedOut
  /// The owner ended in between.
  case ownerGone
  /// The owner offered text and would not give it, or gave something that is no text.
  case refused
  /// The text is larger than the limit, in bytes.
  case tooLarge(limit: Int)
  /// The read was given up because another offer took its place, or because nobody wants it any more: not an error to
  /// speak of.
  case cancelled
  /// Another copy was made at the same moment: by the user, out of the history, before this text could be asked for; or
  /// by another program, before the text that was to be offered was on the clipboard.
  case overtaken
  /// The desktop is out of reach, or does not allow it.
  case unavailable
}

/// How far the transfer of a text may go.
public struct TransferLimits: Equatable, Sendable {
  /// The largest text, in bytes.
  public var bytes: Int
  /// The longest wait for the next answer, or the next piece of a long one.
  public var idleTimeout: Duration
  /// The longest time for all of it.
  public var total: Duration
  /// How much longer the transfer of an offer may go on once another one has replaced it.
  public var grace: Duration

  /// The limits unless the user has set others.
  public init(
    bytes: Int = 64 << 20, idleTimeout: Duration = .seconds(3), total: Duration = .seconds(30),
    grace: Duration = .milliseconds(250)
  ) {
    self.bytes = bytes
    self.idleTimeout = idleTimeout
    self.total = total
    self.grace = grace
  }
}
