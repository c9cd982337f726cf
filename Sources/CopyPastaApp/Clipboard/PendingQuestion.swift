import GtkKit
import Synchronization

/// A question for the clipboard's text that is about to be asked.
///
/// A text can only be had from the clipboard's owner. So this program gives the question a moment before it takes the
/// clipboard: a click on a row also activates the window, which then reads what was copied before.
final class PendingQuestion: Sendable {
  /// How long a copy waits for it: most programs say what they have in a few milliseconds.
  private static let patience = Duration.milliseconds(200)

  private struct State {
    var isPending = false
    /// This program has taken the clipboard before the question was asked.
    var isMissed = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// There is something to ask.
  func begin() { state.withLock { $0.isPending = true } }

  /// It has been asked, or will not be.
  ///
  /// - Returns: whether this program has taken the clipboard before.
  @discardableResult
  func end() -> Bool {
    let ended = state.withLock { state in
      defer { state = State() }
      return state
    }
    ended.waiters.forEach { $0.resume() }
    return ended.isMissed
  }

  private func miss() {
    end()
    state.withLock { $0.isMissed = true }
  }

  /// Returns once it has been asked, and soon if it is not: the user is waiting.
  @MainActor func wait() async {
    // One that takes too long is not waited for twice.
    let timeout = Timeout(after: Self.patience, weakly(self) { $0.miss() })
    await withCheckedContinuation { waiter in
      let isPending = state.withLock {
        if $0.isPending { $0.waiters.append(waiter) }
        return $0.isPending
      }
      if !isPending { waiter.resume() }
    }
    timeout.cancel()
  }
}
