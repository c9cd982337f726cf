/// Runs asynchronous work one after the other, in the order in which it was added.
@MainActor
final class TaskQueue {
  private var last: Task<Void, Never>?

  @discardableResult
  func add(_ work: @escaping @MainActor () async -> Void) -> Task<Void, Never> {
    let task = Task { [last] in
      await last?.value
      await work()
    }
    last = task
    return task
  }

  /// Adds work, and waits for its result.
  func run<Value: Sendable>(_ work: @escaping @MainActor () async -> Value) async -> Value {
    let task = Task { [last] in
      await last?.value
      return await work()
    }
    last = Task { _ = await task.value }
    return await task.value
  }

  /// Returns when all that was added so far is done.
  func settle() async { await last?.value }
}
