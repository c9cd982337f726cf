import SerialQueue

/// Runs asynchronous work items one after the other, in the order in which they were added.
@MainActor
final class TaskQueue {
  private var last: Task<Void, Never>?

  @discardableResult
  func add(_ work: @escaping @MainActor () async -> Void) -> Task<Void, Never> {
    let task = Task.unpooled { [last] in
      await last?.value
      await work()
    }
    last = task
    return task
  }

  /// Waits until all work added so far is done.
  func drain() async { await last?.value }
}
