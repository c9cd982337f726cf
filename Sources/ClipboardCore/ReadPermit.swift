import Synchronization

/// Whether the clipboard may be read; safe to use from any thread.
///
/// After `revoke()` returns, no request is sent through `request` until the next grant.
public final class ReadPermit: Sendable {
  private struct State {
    var isGranted = false
    var grants = 0
  }

  private let state = Mutex(State())

  /// Creates a permit that is not granted.
  public init() {}

  /// Allows reading, including the content that is on the clipboard at the moment of the grant.
  public func grant() {
    state.withLock {
      if !$0.isGranted { $0.grants += 1 }
      $0.isGranted = true
    }
  }

  /// Forbids reading from now on.
  public func revoke() { state.withLock { $0.isGranted = false } }

  /// The number of the current grant; nil while reading is forbidden.
  ///
  /// If two numbers are equal, the permit was not revoked in between.
  public var current: Int? { state.withLock { $0.isGranted ? $0.grants : nil } }

  /// Calls `send` if reading is allowed; `revoke()` waits until `send` has returned.
  ///
  /// - Returns: whether `send` was called.
  public func request(_ send: () -> Void) -> Bool {
    state.withLock {
      if $0.isGranted { send() }
      return $0.isGranted
    }
  }
}
