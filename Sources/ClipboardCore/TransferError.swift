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
  /// The desktop is out of reach, or does not allow it.
  case unavailable
}
