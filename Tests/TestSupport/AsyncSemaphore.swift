import Synchronization

/// Lets some go on at a time; the others wait for their turn, in the order in which they came.
final class AsyncSemaphore: Sendable {
  private struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>

  init(value: Int) { state = Mutex(State(free: value)) }

  /// Returns once there is a place.
  func wait() async {
    await withCheckedContinuation { turn in
      let isFree = state.withLock { state in
        guard state.free == 0 else {
          state.free -= 1
          return true
        }
        state.waiting.append(turn)
        return false
      }
      if isFree { turn.resume() }
    }
  }

  /// Gives the place to the next.
  func signal() {
    let next = state.withLock { state in
      guard state.waiting.isEmpty else { return Optional(state.waiting.removeFirst()) }
      state.free += 1
      return nil
    }
    next?.resume()
  }
}
