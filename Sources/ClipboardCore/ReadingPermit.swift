import Synchronization

/// Whether the clipboard may be read, known on every thread at the moment it changes.
///
/// Once `revoke()` has returned, no question is on its way that was asked through `ask`.
public final class ReadingPermit: Sendable {
  private struct State {
    var isGranted = false
    var grants = 0
  }

  private let state = Mutex(State())

  /// Nothing may be read until it is granted.
  public init() {}

  /// Allows reading; each time counts as a reason to look at what is on the clipboard.
  public func grant() {
    state.withLock {
      if !$0.isGranted { $0.grants += 1 }
      $0.isGranted = true
    }
  }

  /// Forbids it from now on.
  public func revoke() { state.withLock { $0.isGranted = false } }

  /// The number of the grant that holds; nil if none does.
  ///
  /// While it stays the same, reading was allowed without a break.
  public var current: Int? { state.withLock { $0.isGranted ? $0.grants : nil } }

  /// Asks a question if that is allowed; the permit cannot be revoked meanwhile.
  ///
  /// - Returns: false if the question was not asked.
  public func ask(_ question: () -> Void) -> Bool {
    state.withLock {
      if $0.isGranted { question() }
      return $0.isGranted
    }
  }
}
