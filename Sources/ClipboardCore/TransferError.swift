/// Why an offered text could not be read, or a text could not be offered.
///
/// Errors contain no part of the text.
public enum TransferError: Error, Equatable, Sendable {
  /// The source application did not answer, or stalled.
  case timedOut
  /// The source application exited, or gave up the clipboard, during the transfer.
  case ownerGone
  /// The source application offered text but refused to send it, or sent data of a different type.
  case refused
  /// The text is larger than `limit` bytes.
  case tooLarge(limit: Int)
  /// The read was cancelled.
  ///
  /// A newer offer has replaced the offer, or the result has become unnecessary. Users need not see this error.
  case cancelled
  /// Another owner took the clipboard first.
  ///
  /// During a read, the user copied from the history, and the earlier text can no longer be read. During an offer,
  /// another program copied before our text was on the clipboard.
  case ownershipLost
  /// The desktop cannot be reached, or does not permit the transfer.
  case unavailable
}
