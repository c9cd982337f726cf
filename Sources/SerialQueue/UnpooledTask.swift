import Dispatch

extension Task where Failure == any Error {
  /// Starts a task of the main actor that never uses libdispatch's pool of threads: the product starts all its tasks so.
  ///
  /// After each wait the Swift runtime resumes a task on the executor that it prefers, for a moment, before it goes back
  /// to its actor. Without a preference that is the pool, and from its first thread on libdispatch looks after the pool
  /// once a second, for as long as the process lives: 60 wake-ups a minute in a program that does nothing.
  @discardableResult
  public static func unpooled(_ operation: @escaping @MainActor () async throws -> Success) -> Self {
    Task { @MainActor in
      try await withTaskExecutorPreference(UnpooledSteps.shared) { try await operation() }
    }
  }
}

extension Task where Failure == Never {
  /// Starts a task of the main actor that never uses libdispatch's pool of threads, and does not fail.
  @discardableResult
  public static func unpooled(_ operation: @escaping @MainActor () async -> Success) -> Self {
    Task { @MainActor in
      await withTaskExecutorPreference(UnpooledSteps.shared) { await operation() }
    }
  }

  /// Starts a task of an actor that never uses libdispatch's pool of threads: between its steps it stays on the actor's.
  @discardableResult
  public static func unpooled<Worker: SerialActor>(
    on worker: Worker, _ operation: @escaping @Sendable (isolated Worker) async -> Success
  ) -> Self {
    Task(executorPreference: worker.queue) { await operation(worker) }
  }
}

/// Runs the steps of the main actor's tasks that no actor has, one after the other: they must not block.
private final class UnpooledSteps: TaskExecutor {
  static let shared = UnpooledSteps()
  private let queue = DispatchQueue(label: "org.copypasta.tasks")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async {
      traceStep("org.copypasta.tasks")
      job.runSynchronously(on: self.asUnownedTaskExecutor())
    }
  }
}
