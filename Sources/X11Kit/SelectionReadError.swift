/// Why a read of the clipboard gave nothing, although there is something to read.
///
/// None of them carries a byte of what was read.
public enum SelectionReadError: Error, Equatable, Sendable {
  /// The owner kept silent longer than allowed, or the whole took longer than allowed.
  case timedOut
  /// The owner died, or destroyed its window, while it was being asked.
  case ownerGone
  /// The owner lists the text, and then refuses it or answers with something that is no text.
  case refused
  /// The text has more than `limit` bytes.
  case tooLarge(limit: Int)
  /// The task that reads was cancelled.
  case cancelled
  /// The X server has ended, or has closed the connection.
  case connectionLost
}

extension SelectionReadError {
  /// Does something that may be interrupted, and says in a reader's words what interrupted it.
  static func translating<Value>(
    _ work: () throws(Interruption) -> Value
  ) throws(SelectionReadError) -> Value {
    do {
      return try work()
    } catch {
      switch error {
      case .deadlinePassed: throw .timedOut
      case .cancelled: throw .cancelled
      case .connectionLost: throw .connectionLost
      }
    }
  }
}
