import Dispatch

/// Calls a handler once, some time from now, unless it is let go before.
final class Alarm {
  private let source: any DispatchSourceTimer

  init(after delay: Duration, queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void) {
    source = DispatchSource.makeTimerSource(queue: queue)
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
