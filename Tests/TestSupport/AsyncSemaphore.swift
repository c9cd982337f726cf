/// A semaphore for tasks, which resumes waiting tasks in the order of their arrival.
actor AsyncSemaphore {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(value: Int) { free = value }

  /// Takes a permit, waiting for one if necessary.
  func wait() async {
    guard free == 0 else { return free -= 1 }
    await withCheckedContinuation { waiting.append($0) }
  }

  /// Gives the permit back, or passes it on to the next waiting task.
  func signal() { if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() } }
}
