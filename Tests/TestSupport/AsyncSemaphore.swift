/// A semaphore for tasks, which resumes waiting tasks in their order.
actor AsyncSemaphore {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(value: Int) { free = value }

  /// Takes a permit, waiting for one if necessary.
  func wait() async {
    guard free == 0 else { return free -= 1 }
    await withCheckedContinuation { waiting.append($0) }
  }

  /// Returns the permit, to the next waiting task if there is one.
  func signal() { if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() } }
}
