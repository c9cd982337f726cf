import Dispatch

extension Task where Failure == any Error {
  /// Starts a main-actor task that never uses libdispatch's thread pool; the app starts all its tasks this way.
  ///
  /// After each suspension, the Swift runtime briefly resumes a task on its preferred executor before it returns to its
  /// actor. Without a preferred executor, it uses the pool. Once the pool has a thread, libdispatch monitors it every
  /// second while the process lives: 60 wake-ups a minute in an idle program.
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

/// Serially runs those steps of main-actor tasks that run on no actor; they must not block.
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
