import Dispatch
import Synchronization

/// The executor of an actor whose work blocks: it runs on a dispatch queue of its own.
///
/// The cooperative pool has one thread per core; an actor that waits there for a disk or for another
/// program would keep every other task of the process waiting.
///
/// ```swift
/// actor Disk {
///   private let queue = SerialQueue(label: "disk")
///   nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
/// }
/// ```
public final class SerialQueue: SerialExecutor, TaskExecutor {
  /// The queue behind the executor, for event sources that are to run as the actor.
  public let dispatchQueue: DispatchQueue
  private let label: String

  /// Makes a queue; `label` is what debuggers show.
  public init(label: String) {
    self.label = label
    dispatchQueue = DispatchQueue(label: label, qos: .userInitiated)
  }

  /// Runs a job of the actor, or of a task that prefers its thread; called by the Swift runtime.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    dispatchQueue.async { [self] in
      traceStep(label)
      job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    }
  }

  /// Traps if the caller is not on the queue; behind `assumeIsolated`.
  public func checkIsolated() {
    dispatchPrecondition(condition: .onQueue(dispatchQueue))
  }
}

/// An actor on a queue of its own, which its tasks need not leave.
public protocol SerialActor: Actor {
  /// The queue that the actor runs on.
  nonisolated var queue: SerialQueue { get }
}

/// Calls a handler on an actor's queue once, some time from now, unless it is let go before.
///
/// `Task.sleep` would bring in libdispatch's pool of threads, which then wakes the process up once a second for ever.
public final class DispatchTimer {
  private let source: any DispatchSourceTimer

  /// Starts the timer; the handler gets to the actor by `assumeIsolated`.
  ///
  /// - Parameter leeway: how much later it may come, so that the processor can sleep on.
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

#if DEBUG
  /// The names of the queues on which steps of tasks began, in their order, for a test that counts them; nil if none
  /// does.
  public let stepTrace = Mutex<[String]?>(nil)
#endif

/// Notes that a step of a task begins on a queue; costs nothing in a release.
@inline(__always)
func traceStep(_ label: String) {
  #if DEBUG
    stepTrace.withLock { $0?.append(label) }
  #endif
}
