import ClipboardCore
import Glibc

/// The time limit of a wait, and whether cancelling the task ends the wait.
struct Deadline {
  /// The end of the wait; nil to wait without limit.
  let end: SuspendingClock.Instant?
  /// Ends the wait when the current task is cancelled; nil to ignore cancellation.
  let cancellation: CancellationSignal?
  /// Whether to continue to wait; evaluated at each event and each signal.
  var isWanted: (() -> Bool)?

  /// No limit, for requests to the server itself, which eventually answers unless the connection is lost.
  static var endless: Deadline { Deadline(end: nil, cancellation: nil) }

  func limited(to duration: Duration) -> Deadline {
    limited(until: .now + duration)
  }

  func limited(until end: SuspendingClock.Instant) -> Deadline {
    Deadline(end: self.end.map { min($0, end) } ?? end, cancellation: cancellation, isWanted: isWanted)
  }

  /// Throws if the deadline has passed or the task is cancelled.
  ///
  /// Call it for each event, not only before sleeping, because a flood of events leaves no time to sleep.
  func check() throws(TransferError) {
    if cancellation != nil, Task.isCancelled { throw .cancelled }
    if let isWanted, !isWanted() { throw .cancelled }
    if let end, SuspendingClock.now >= end { throw .timedOut }
  }

  /// The timeout for `poll(2)`, in milliseconds; -1 stands for no limit.
  ///
  /// Rounded up, because rounding down would busy-loop through the last millisecond.
  var pollTimeout: CInt {
    guard let end else { return -1 }
    let milliseconds = (end - SuspendingClock.now) / .milliseconds(1)
    return CInt(min(max(milliseconds.rounded(.up), 0), 1e9))
  }

  /// Wakes a thread from `poll(2)` when its task is cancelled, which may happen on any thread.
  ///
  /// The signal only wakes the thread, which then checks `Task.isCancelled`. A signal that arrives after its read has
  /// ended only costs the next read one loop iteration.
  final class CancellationSignal: Sendable {
    /// Readable after ``send()``, until ``clear()``.
    let descriptor: CInt
    private let writeEnd: CInt

    /// Creates a signal; nil if the process is out of file descriptors.
    ///
    /// Uses a socket pair, because Swift's Glibc module has neither `eventfd` nor `pipe2`. A plain `pipe` could be
    /// inherited by a program that another thread starts at the same moment.
    init?() {
      var ends: [CInt] = [-1, -1]
      let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
      guard socketpair(AF_UNIX, CInt(kind), 0, &ends) == 0 else { return nil }
      descriptor = ends[0]
      writeEnd = ends[1]
    }

    deinit {
      close(descriptor)
      close(writeEnd)
    }

    func send() {
      // If the socket is full, the write fails, but the socket is readable already.
      _ = write(writeEnd, [1], 1)
    }

    func clear() {
      var bytes = [UInt8](repeating: 0, count: 64)
      while read(descriptor, &bytes, bytes.count) > 0 {}
    }
  }
}
