import ClipboardCore
import Glibc

/// How long a wait may last, and what else may end it.
struct Deadline {
  /// The end of the wait; nil to wait until the server answers.
  let end: SuspendingClock.Instant?
  /// Ends the wait when the current task is cancelled; nil if cancelling does not.
  let cancellation: CancellationSignal?

  /// No deadline, for a question to the server, which answers unless the connection ends.
  static let endless = Deadline(end: nil, cancellation: nil)

  /// This deadline, but no later than `duration` from now.
  func limited(to duration: Duration) -> Deadline {
    limited(until: .now + duration)
  }

  /// This deadline, but no later than `end`.
  func limited(until end: SuspendingClock.Instant) -> Deadline {
    Deadline(end: self.end.map { min($0, end) } ?? end, cancellation: cancellation)
  }

  /// Throws if the wait is over.
  ///
  /// To be called for each event, not only before sleeping: a flood of events leaves no time to sleep.
  func check() throws(TransferError) {
    if cancellation != nil, Task.isCancelled { throw .cancelled }
    if let end, SuspendingClock.now >= end { throw .timedOut }
  }

  /// The timeout for `poll(2)`, in milliseconds; -1 is no limit.
  ///
  /// Rounded up: rounded down, the last millisecond would be spent spinning.
  var pollTimeout: CInt {
    guard let end else { return -1 }
    let milliseconds = (end - SuspendingClock.now) / .milliseconds(1)
    return CInt(min(max(milliseconds.rounded(.up), 0), 1e9))
  }

  /// Wakes a thread that sleeps in `poll(2)` when its task is cancelled, from whatever thread that happens on.
  ///
  /// The signal only wakes: whether there is a cancellation is for `Task.isCancelled` to say. So a signal that comes
  /// too late, after its read has ended, costs the next read one turn of a loop and nothing else.
  final class CancellationSignal: Sendable {
    /// Readable after ``send()``, until ``clear()``.
    let descriptor: CInt
    private let writeEnd: CInt

    /// Nil if the process is out of file descriptors.
    ///
    /// A pair of sockets: Swift's Glibc module has neither `eventfd` nor `pipe2`, and a plain `pipe` would be
    /// inherited by a program that another thread starts at this moment.
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
      // A full socket refuses the byte, and is as readable as it needs to be.
      _ = write(writeEnd, [1], 1)
    }

    func clear() {
      var bytes = [UInt8](repeating: 0, count: 64)
      while read(descriptor, &bytes, bytes.count) > 0 {}
    }
  }
}
