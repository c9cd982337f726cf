import CGtk

/// A timer on the main loop; cancelled when it is let go.
@MainActor
public final class Timeout {
  private var source: guint = 0
  private let repeats: Bool
  private let body: @MainActor () -> Void

  /// Calls `body` once, so long from now.
  public convenience init(after delay: Duration, _ body: @escaping @MainActor () -> Void) {
    self.init(interval: delay, repeats: false, body)
  }

  /// Calls `body` again and again, until it is cancelled.
  public convenience init(every interval: Duration, _ body: @escaping @MainActor () -> Void) {
    self.init(interval: interval, repeats: true, body)
  }

  private init(interval: Duration, repeats: Bool, _ body: @escaping @MainActor () -> Void) {
    self.repeats = repeats
    self.body = body
    let fired: @MainActor @convention(c) (gpointer?) -> gboolean = { data in
      Closure<@MainActor () -> Bool>.behind(data)() ? 1 : 0
    }
    // Weakly, so that the timer itself can be let go.
    let fire: @MainActor () -> Bool = { [weak self] in self?.fire() ?? false }
    source = g_timeout_add_full(
      G_PRIORITY_DEFAULT, guint(clamping: interval.milliseconds), unsafeBitCast(fired, to: GSourceFunc.self),
      Closure.retained(fire), releaseClosure)
  }

  isolated deinit {
    cancel()
  }

  /// Ends the timer; it does not fire any more.
  public func cancel() {
    guard source != 0 else { return }
    g_source_remove(source)
    source = 0
  }

  /// - Returns: whether to call again.
  private func fire() -> Bool {
    if !repeats { source = 0 }
    body()
    return source != 0
  }

  // MARK: - Waiting

  /// Waits so long, on the main loop: `Task.sleep` would bring in libdispatch's pool of threads, which from then on
  /// wakes the process up once a second.
  ///
  /// - Throws: `CancellationError`, at once, if the task is cancelled.
  public static func wait(_ delay: Duration) async throws(CancellationError) {
    let (end, continuation) = AsyncStream<Never>.makeStream()
    let timeout = Timeout(after: delay) { continuation.finish() }
    // The wait also ends if the task is cancelled.
    for await _ in end {}
    timeout.cancel()
    if Task.isCancelled { throw CancellationError() }
  }
}

extension Duration {
  /// Whole milliseconds, rounded up: a timer must not fire early.
  public var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
  }
}
