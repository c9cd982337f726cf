import Dispatch

/// An executor with its own dispatch queue, for an actor whose work blocks.
///
/// The cooperative pool has one thread per core, so an actor that waits there for a disk or another program would block
/// other tasks of the process.
///
/// ```swift
/// actor Disk {
///   private let queue = SerialQueue(label: "disk")
///   nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
/// }
/// ```
public final class SerialQueue: SerialExecutor, TaskExecutor {
  /// The underlying queue, for event sources that have to run on the actor.
  public let dispatchQueue: DispatchQueue

  /// Creates a queue; debuggers show `label`.
  public init(label: String) {
    dispatchQueue = DispatchQueue(label: label, qos: .userInitiated)
  }

  /// Runs a job of the actor, or of a task that prefers this executor; called by the Swift runtime.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    dispatchQueue.async { [self] in
      job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    }
  }

  /// Traps if the caller is not on the queue; `assumeIsolated` calls this.
  public func checkIsolated() {
    dispatchPrecondition(condition: .onQueue(dispatchQueue))
  }
}

/// An actor with its own queue; `Task.unpooled(on:_:)` starts tasks that run only there.
public protocol SerialActor: Actor {
  /// The queue that executes the actor's jobs.
  nonisolated var queue: SerialQueue { get }
}

/// Calls a handler on an actor's queue once after a delay, unless the timer is released earlier.
///
/// Use it instead of `Task.sleep`, which would start libdispatch's thread pool. Once started, the pool wakes the
/// process once a second forever.
public final class DispatchTimer {
  private let source: any DispatchSourceTimer

  /// Starts the timer; the handler uses `assumeIsolated` to access the actor.
  ///
  /// - Parameter leeway: how long the system may delay the timer to save power.
  public init(
    after delay: Duration, leeway: Duration = .milliseconds(50), on queue: SerialQueue,
    _ handler: @escaping @Sendable () -> Void
  ) {
    source = DispatchSource.makeTimerSource(queue: queue.dispatchQueue)
    source.schedule(
      deadline: DispatchTime.now() + max(delay / .seconds(1), 0),
      leeway: .milliseconds(Int(leeway / .milliseconds(1))))
    source.setEventHandler(handler: handler)
    source.activate()
  }

  deinit {
    source.cancel()
  }
}
