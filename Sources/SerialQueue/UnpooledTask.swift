import Dispatch

extension Task where Failure == any Error {
  /// Starts a main-actor task that never uses libdispatch's thread pool; the app starts all its tasks this way.
  ///
  /// After each suspension, a task briefly runs on its preferred executor, or on the pool if it has none, before it
  /// returns to its actor. Once the pool has a thread, libdispatch wakes even an idle process every second to monitor
  /// the pool.
  @discardableResult
  public static func unpooled(_ operation: @escaping @MainActor () async throws -> Success) -> Self {
    Task { @MainActor in
      try await withTaskExecutorPreference(UnpooledSteps.shared) { try await operation() }
    }
  }
}

extension Task where Failure == Never {
  /// Starts a main-actor task that never uses libdispatch's thread pool and does not throw.
  @discardableResult
  public static func unpooled(_ operation: @escaping @MainActor () async -> Success) -> Self {
    Task { @MainActor in
      await withTaskExecutorPreference(UnpooledSteps.shared) { await operation() }
    }
  }

  /// Starts a task that runs only on the queue of `worker`, and so never uses libdispatch's thread pool.
  @discardableResult
  public static func unpooled<Worker: SerialActor>(
    on worker: Worker, _ operation: @escaping @Sendable (isolated Worker) async -> Success
  ) -> Self {
    Task(executorPreference: worker.queue) { await operation(worker) }
  }
}

/// Calls `body` on the main thread soon, after what was passed here before.
public func onMain(_ body: @escaping @MainActor () -> Void) {
  DispatchQueue.main.async { MainActor.assumeIsolated(body) }
}

/// Serially runs the steps of main-actor tasks that are not isolated to an actor; the steps must not block.
private final class UnpooledSteps: TaskExecutor {
  static let shared = UnpooledSteps()
  private let queue = DispatchQueue(label: "org.copypasta.tasks")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async {
      job.runSynchronously(on: self.asUnownedTaskExecutor())
    }
  }
}
