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

  /// Returns when all that was added so far is done.
  func settle() async { await last?.value }
}
