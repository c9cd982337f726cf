import SerialQueue
import Synchronization

/// Runs asynchronous work items one after the other, in the order in which they were added, each on its own actor.
final class TaskQueue: Sendable {
  private let last = Mutex<Task<Void, Never>?>(nil)

  @discardableResult
  func add(_ work: @escaping @MainActor () async -> Void) -> Task<Void, Never> {
    last.withLock { last in
      let task = Task.unpooled { [last] in
        await last?.value
        await work()
      }
      last = task
      return task
    }
  }

  func add<Worker: SerialActor>(
    for worker: Worker, _ work: @escaping @Sendable (isolated Worker) async -> Void
  ) {
    last.withLock { last in
      last = Task.unpooled(on: worker) { [last] worker in
        await last?.value
        await work(worker)
      }
    }
  }

  /// Waits until all work added so far is done.
  func drain() async { await last.withLock(\.self)?.value }
}
