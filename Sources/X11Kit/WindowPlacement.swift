import CXCB
import ClipboardCore
import Glibc
import SerialQueue

/// Finds out where the window manager has put a window of this program, and moves the window.
///
/// Each query uses its own connection; see ``InputFocus``.
public actor WindowPlacement {
  /// The top left corner of a window's frame, in pixels of the screen.
  public struct Position: Sendable, Equatable {
    let x: Int32
    let y: Int32
  }

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

  /// Returns the position of a window that is iconified or on another workspace; nil if the window is neither.
  ///
  /// If the window manager sets no workspace (EWMH 1.5), only an iconified window has a position.
  public func positionIfAway(_ window: UInt32) -> Position? {
    ask { connection, atoms throws(TransferError) in
      let state: [UInt32]? = connection.elements(of: atoms[.windowState], of: window, limit: 2)
      let isIconified = state?.first == 3
      let own: [UInt32]? = connection.elements(of: atoms[.workspace], of: window, limit: 1)
      let current: [UInt32]? = connection.elements(
        of: atoms[.currentWorkspace], of: connection.root, limit: 1)
      let isOnAll = own?.first == .max
      let isElsewhere = own?.first != nil && current?.first != nil && own?.first != current?.first && !isOnAll
      guard isIconified || isElsewhere else { return nil }
      return try position(of: window, connection, atoms)
    }
  }

  private func position(
    of window: UInt32, _ connection: XConnection, _ atoms: Atoms
  ) throws(TransferError) -> Position? {
    let sequence = xcb_translate_coordinates(connection.handle, window, connection.root, 0, 0).sequence
    guard let reply = try connection.reply(xcb_translate_coordinates_reply_t.self, to: sequence, .endless)
    else {
      return nil
    }
    // Left, right, top, bottom.
    let frame: [UInt32] = connection.elements(of: atoms[.frameSize], of: window, limit: 4) ?? []
    let (left, top) = frame.count == 4 ? (Int32(frame[0]), Int32(frame[2])) : (0, 0)
    return Position(x: Int32(reply.body.dst_x) - left, y: Int32(reply.body.dst_y) - top)
  }

  /// Waits until the window manager has released a window that was unmapped.
  ///
  /// A client has to wait before it maps the window again (ICCCM 4.1.3.1): icewm would take the earlier unmapping for
  /// a later one, and hide the window.
  public func waitUntilReleased(_ window: UInt32) {
    let end = SuspendingClock.now + Self.releaseTime
    _ = ask { connection, atoms throws(TransferError) in
      while SuspendingClock.now < end {
        let state: [UInt32]? = connection.elements(of: atoms[.windowState], of: window, limit: 2)
        guard let state = state?.first, state != 0 else { return true }
        usleep(2000)
      }
      return true
    }
  }

  /// Asks the window manager to move a window.
  public func move(_ window: UInt32, to position: Position) {
    _ = ask { connection, _ throws(TransferError) in
      let mask = UInt16(XCB_CONFIG_WINDOW_X.rawValue | XCB_CONFIG_WINDOW_Y.rawValue)
      var values = [UInt32(bitPattern: position.x), UInt32(bitPattern: position.y)]
      xcb_configure_window(connection.handle, window, mask, &values)
      try connection.synchronise(.endless)
      return true
    }
  }

  /// Returns nil if the server cannot be reached.
  private func ask<Answer>(
    _ question: (XConnection, Atoms) throws(TransferError) -> Answer?
  ) -> Answer? {
    do {
      let connection = try XConnection(display: display)
      return try question(connection, Atoms(connection))
    } catch {
      return nil
    }
  }
}
