import Dispatch

extension Task where Failure == any Error {
  /// Starts a task of the main actor that never uses libdispatch's thread pool; the product starts all its tasks this
  /// way.
  ///
  /// After each suspension, the Swift runtime briefly resumes a task on its preferred executor before it returns to its
  /// actor. Without a preference that is the pool. Once the pool has a thread, libdispatch monitors it every second
  /// while the process lives: 60 wake-ups a minute in an idle program.
  @discardableResult
  public static func unpooled(_ operation: @escaping @MainActor () async throws -> Success) -> Self {
    Task { @MainActor in
      try await withTaskExecutorPreference(UnpooledSteps.shared) { try await operation() }
    }
  }
}

extension Task where Failure == Never {
  /// Starts a task of the main actor that never uses libdispatch's thread pool and does not fail.
  @discardableResult
  public static func unpooled(_ operation: @escaping @MainActor () async -> Success) -> Self {
    Task { @MainActor in
      await withTaskExecutorPreference(UnpooledSteps.shared) { await operation() }
    }
  }

  /// Starts a task of an actor that never uses libdispatch's thread pool, because it stays on the actor's queue.
  @discardableResult
  public static func unpooled<Worker: SerialActor>(
    on worker: Worker, _ operation: @escaping @Sendable (isolated Worker) async -> Success
  ) -> Self {
    Task(executorPreference: worker.queue) { await operation(worker) }
  }
}

/// Runs the steps of the main actor's tasks that belong to no actor, one after the other; they must not block.
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
