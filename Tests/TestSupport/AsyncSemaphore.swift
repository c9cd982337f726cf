/// Lets some go on at a time; the others wait for their turn, in the order in which they came.
actor AsyncSemaphore {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(value: Int) { free = value }

  /// Returns once there is a place.
  func wait() async {
    guard free == 0 else { return free -= 1 }
    await withCheckedContinuation { waiting.append($0) }
  }

  /// Gives the place to the next.
  func signal() { if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() } }
}
