extension Timeout {
  /// Waits so long, on the main loop: `Task.sleep` would bring in libdispatch's pool of threads, which from then on wakes
  /// the process up once a second.
  ///
  /// - Throws: `CancellationError`, at once, where the task is cancelled.
  public static func wait(_ delay: Duration) async throws(CancellationError) {
    let (end, continuation) = AsyncStream<Never>.makeStream()
    let timeout = Timeout(after: delay) { continuation.finish() }
    // It also ends where the task is cancelled.
    for await _ in end {}
    timeout.cancel()
    if Task.isCancelled { throw CancellationError() }
  }
}
