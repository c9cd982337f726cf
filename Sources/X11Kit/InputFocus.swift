import SerialQueue

/// Checks whether a window has the keyboard focus.
///
/// Each query uses its own connection. A permanent connection would have to read events constantly, because the server
/// reports changes of the keyboard mapping to every connection.
public actor InputFocus {
  private let display: String?
  private let queue = SerialQueue(label: "org.copypasta.input-focus")

  /// While another program has grabbed the server, even opening a connection blocks, so queries run on a thread of
  /// their own.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// Stores the display to query, such as `:0`; nil stands for the variable `DISPLAY`.
  public init(display: String?) {
    self.display = display
  }

  /// Asks the server, without a time limit, whether a window has the focus.
  ///
  /// Another program's key grab does not affect the result: it redirects the keyboard while the key is down, but does
  /// not move the focus.
  ///
  /// - Returns: whether the window has the focus; also false if the server cannot be reached.
  public func isIn(_ window: UInt32) -> Bool {
    do {
      let connection = try XConnection(display: display)
      guard let focus = try connection.focus(.endless) else {
        // The focus is PointerRoot, so keys go to the window at the pointer.
        return try connection.isWindow(window, in: try connection.windowAtPointer(.endless), .endless)
      }
      // Some window managers give the focus to their frame window.
      return try connection.isWindow(focus, in: window, .endless)
        || connection.isWindow(window, in: focus, .endless)
    } catch {
      return false
    }
  }
}
