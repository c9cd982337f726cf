/// How long a wait may last, and what else may end it.
struct Patience {
  /// Without one the wait lasts until the server answers.
  let deadline: SuspendingClock.Instant?
  /// Where there is one, cancelling the current task ends the wait.
  let cancellation: CancellationSignal?

  /// For what only the server answers: it does, or the connection ends.
  static let endless = Patience(deadline: nil, cancellation: nil)

  /// The same, but no longer than `duration` from now.
  func limited(to duration: Duration) -> Patience {
    limited(until: .now + duration)
  }

  /// The same, but no longer than until `end`.
  func limited(until end: SuspendingClock.Instant) -> Patience {
    Patience(deadline: deadline.map { min($0, end) } ?? end, cancellation: cancellation)
  }

  /// Throws where the wait is over.
  ///
  /// To be called for each event, not only before sleeping: a flood of events leaves no time to sleep.
  func check() throws(Interruption) {
    if cancellation != nil, Task.isCancelled { throw .cancelled }
    if let deadline, SuspendingClock.now >= deadline { throw .deadlinePassed }
  }

  /// What `poll(2)` is to be given, in milliseconds; -1 is no limit.
  ///
  /// Rounded up: rounded down, the last millisecond would be spent spinning.
  var pollTimeout: CInt {
    guard let deadline else { return -1 }
    let left = (deadline - SuspendingClock.now).components
    guard left.seconds >= 0, left.attoseconds >= 0 else { return 0 }
    let milliseconds =
      min(left.seconds, 1_000_000) * 1000 + (left.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return CInt(milliseconds)
  }
}
