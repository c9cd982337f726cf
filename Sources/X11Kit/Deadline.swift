import ClipboardCore
import Glibc

/// The time limit of a request to the server, which does not answer while another program has grabbed it.
struct Deadline {
  /// The end of the wait; nil to wait without limit.
  let end: SuspendingClock.Instant?

  /// No limit, because the server eventually answers unless the connection is lost.
  static var endless: Deadline { Deadline(end: nil) }

  static func after(_ duration: Duration) -> Deadline { Deadline(end: .now + duration) }

  /// The timeout for `poll(2)`, in milliseconds; -1 stands for no limit.
  ///
  /// Rounded up, because rounding down would busy-loop through the last millisecond.
  ///
  /// - Throws: `timedOut` if the deadline has passed.
  var pollTimeout: CInt {
    get throws(TransferError) {
      guard let end else { return -1 }
      let milliseconds = (end - SuspendingClock.now) / .milliseconds(1)
      guard milliseconds > 0 else { throw .timedOut }
      return CInt(min(milliseconds.rounded(.up), 1e9))
    }
  }
}
