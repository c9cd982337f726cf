import GtkKit

/// The reasons to keep the process running while its window is hidden.
///
/// A text that this program offers on the clipboard also keeps the process running, but is not listed here; see
/// `SystemClipboard.isOffering`.
///
/// If the desktop takes a reason away, the process keeps running. GNOME removes its tray while the screen is locked,
/// and a panel that has exited looks the same as a panel that is slow to restart. Therefore a program that was hidden
/// in the tray is still running when the tray returns. If the tray does not return, closing the window ends the
/// program.
@MainActor
final class KeepAliveReasons {
  enum Reason: CaseIterable {
    case background
    /// A tray shows the icon, which brings the window back.
    case trayIcon
    /// A global shortcut brings the window back.
    case shortcut
    /// Recording is paused, and the pause would end with the program.
    case pause
  }

  /// The reasons, each with the time at which the desktop has taken it away; nil while it is held.
  private var losses: [Reason: ContinuousClock.Instant?] = [:]
  private let graceTime: Duration
  private let now: @MainActor () -> ContinuousClock.Instant
  private let ended: @MainActor () -> Void

  /// - Parameters:
  ///   - graceTime: How long `forgetLost` keeps a lost reason, because a panel that restarts removes the icon for a
  ///     moment.
  ///   - ended: Called by `end` when it has removed a reason; not called by `lose` and `forgetLost`.
  init(
    graceTime: Duration = .seconds(10), now: @escaping @MainActor () -> ContinuousClock.Instant = { .now },
    ended: @escaping @MainActor () -> Void
  ) {
    self.graceTime = graceTime
    self.now = now
    self.ended = ended
  }

  /// Whether every reason has ended: none is held or lost.
  var isEmpty: Bool { losses.isEmpty }

  func holds(_ reason: Reason) -> Bool { losses[reason] == .some(nil) }

  func hold(_ reason: Reason) { losses[reason] = .some(nil) }

  /// Ends a reason that the user no longer wants or that has served its purpose.
  func end(_ reason: Reason) {
    if losses.removeValue(forKey: reason) != nil { ended() }
  }

  /// Marks a reason as lost: the desktop has taken it away and may bring it back.
  func lose(_ reason: Reason) {
    if holds(reason) { losses[reason] = now() }
  }

  /// Drops the reasons that were lost more than `graceTime` ago; call this when the user closes the window.
  func forgetLost() {
    losses = losses.filter { $0.value.map { now() - $0 < graceTime } ?? true }
  }
}
