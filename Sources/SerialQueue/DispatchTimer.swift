import Dispatch

/// Calls a handler on an actor's queue once, some time from now, unless it is let go before.
///
/// `Task.sleep` would bring in libdispatch's pool of threads, which then wakes the process up once a second for ever.
public final class DispatchTimer {
  private let source: any DispatchSourceTimer

  /// Starts the timer; the handler gets to the actor by `assumeIsolated`.
  public init(after delay: Duration, on queue: SerialQueue, _ handler: @escaping @Sendable () -> Void) {
    source = DispatchSource.makeTimerSource(queue: queue.dispatchQueue)
    let (seconds, attoseconds) = delay.components
    let nanoseconds = max(0, min(Int(seconds), 1_000_000) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    source.schedule(deadline: .now() + .nanoseconds(nanoseconds), leeway: .milliseconds(50))
    source.setEventHandler(handler: handler)
    source.activate()
  }

  deinit {
    source.cancel()
  }
}
