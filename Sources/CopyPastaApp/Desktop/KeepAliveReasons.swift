import GtkKit

/// Why the process lives on while its window is hidden, beside a text of its own on the clipboard, of which
/// `SystemClipboard` knows.
///
/// A reason that the desktop takes away never ends the process: GNOME takes its tray down while the screen is locked,
/// and nobody can tell a panel that has ended for good from one that is slow to come back. The program that was hidden
/// into a tray is there when the tray is; if the tray never comes back, closing the window ends the program.
@MainActor
final class KeepAliveReasons {
  enum Reason: CaseIterable {
    /// The program was started with `--background`, to be there when it is wanted.
    case background
    /// A tray shows the icon, which brings the window back.
    case trayIcon
    /// A global shortcut brings the window back.
    case shortcut
  }

  private var holding: Set<Reason> = []
  /// The reasons that the desktop has taken away, and when.
  private var lost: [Reason: ContinuousClock.Instant] = [:]
  private let graceTime: Duration
  private let now: @MainActor () -> ContinuousClock.Instant
  private let ended: @MainActor () -> Void

  /// - Parameters:
  ///   - graceTime: how long a reason that was lost counts when the user closes the window: a panel that starts again
  ///     takes the icon down and puts it back up.
  ///   - ended: called when a reason has gone, but for those that the desktop takes away.
  init(
    graceTime: Duration = .seconds(10), now: @escaping @MainActor () -> ContinuousClock.Instant = { .now },
    ended: @escaping @MainActor () -> Void
  ) {
    self.graceTime = graceTime
    self.now = now
    self.ended = ended
  }

  /// Whether nothing keeps the process.
  var isEmpty: Bool { holding.isEmpty && lost.isEmpty }

  /// Whether a reason holds now.
  func holds(_ reason: Reason) -> Bool { holding.contains(reason) }

  /// A reason holds from now on.
  func hold(_ reason: Reason) {
    holding.insert(reason)
    lost[reason] = nil
  }

  /// A reason is over: the user does not want it any more, or it is done.
  func end(_ reason: Reason) {
    let held = holding.remove(reason) != nil
    let wasLost = lost.removeValue(forKey: reason) != nil
    if held || wasLost { ended() }
  }

  /// The desktop has taken a reason away, and may bring it back.
  func lose(_ reason: Reason) {
    if holding.remove(reason) != nil { lost[reason] = now() }
  }

  /// The user closes the window: what was lost before that, and not just now, keeps the process no longer.
  func forgetLost() {
    lost = lost.filter { now() - $0.value < graceTime }
  }
}
