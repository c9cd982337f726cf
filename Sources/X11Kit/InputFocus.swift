import SerialQueue

/// Finds out which window has the keyboard focus.
///
/// Each query uses a connection of its own, because a permanent one would have to be read: the server sends every
/// connection the changes of the keyboard mapping.
public actor InputFocus {
  private let display: String?
  private let queue = SerialQueue(label: "org.copypasta.input-focus")

  /// Even connecting blocks while another program has grabbed the server, so queries run on a thread of their own.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// Refers to `display` (such as `:0`), or to that of the variable `DISPLAY`.
  public init(display: String?) {
    self.display = display
  }

  /// Asks the server, without a time limit, whether a window has the focus.
  ///
  /// A key grab of another program redirects the keyboard while the key is down, but does not move the focus.
  ///
  /// - Returns: false also if the server cannot be reached.
  public func isIn(_ window: UInt32) -> Bool {
    do {
      let connection = try XConnection(display: display)
      guard let focus = try connection.focus(.endless) else {
        // The focus is PointerRoot, so keys go to the window at the pointer.
        return try connection.isWindow(window, in: try connection.windowAtPointer(.endless), .endless)
      }
      // Some window managers give the focus to the frame.
      return try connection.isWindow(focus, in: window, .endless)
        || connection.isWindow(window, in: focus, .endless)
    } catch {
      return false
    }
  }
}
