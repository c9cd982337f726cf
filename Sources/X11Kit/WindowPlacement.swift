import Glibc
import SerialQueue

/// Finds out whether the window manager shows a window of this program on the current workspace.
///
/// Each query uses its own connection; see ``InputFocus``.
public actor WindowPlacement {
  /// How long to wait for a window manager to release a window; fluxbox and jwm do not report it.
  private static let releaseTime = Duration.milliseconds(100)

  private let display: String?
  private let queue = SerialQueue(label: "org.copypasta.window-placement")

  /// Queries run on a thread of their own, because the server does not answer while another program has grabbed it.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// Stores the display to query, such as `:0`; nil stands for the variable `DISPLAY`.
  public init(display: String?) {
    self.display = display
  }

  /// Whether a window is iconified or on another workspace.
  ///
  /// If the window manager sets no workspace (EWMH 1.5), only an iconified window counts.
  public func isAway(_ window: UInt32) -> Bool {
    ask { connection, atoms in
      if state(of: window, connection, atoms) == 3 { return true }
      let own: [UInt32]? = connection.elements(of: atoms[.workspace], of: window, limit: 1)
      let current: [UInt32]? = connection.elements(
        of: atoms[.currentWorkspace], of: connection.root, limit: 1)
      guard let own = own?.first, let current = current?.first else { return false }
      // The greatest number stands for all workspaces.
      return own != current && own != .max
    } ?? false
  }

  /// Waits until the window manager has released a window that was unmapped.
  ///
  /// A client has to wait before it maps the window again (ICCCM 4.1.3.1): icewm would take the earlier unmapping for
  /// a later one, and hide the window.
  public func waitUntilReleased(_ window: UInt32) {
    let end = SuspendingClock.now + Self.releaseTime
    ask { connection, atoms in
      while SuspendingClock.now < end, ![nil, 0].contains(state(of: window, connection, atoms)) {
        usleep(2000)
      }
    }
  }

  /// The window's `WM_STATE` (ICCCM 4.1.3.1): 0 is withdrawn, 3 is iconified; nil if the window manager has removed it.
  private func state(of window: UInt32, _ connection: XConnection, _ atoms: Atoms) -> UInt32? {
    let state: [UInt32]? = connection.elements(of: atoms[.windowState], of: window, limit: 2)
    return state?.first
  }

  /// Returns nil if the server cannot be reached.
  @discardableResult
  private func ask<Answer>(_ question: (XConnection, Atoms) -> Answer) -> Answer? {
    do {
      let connection = try XConnection(display: display)
      return question(connection, try Atoms(connection))
    } catch {
      return nil
    }
  }
}
