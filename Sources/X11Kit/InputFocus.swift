import SerialQueue

/// Which window gets the keys.
///
/// Each question has a connection of its own: one that is kept would have to be read, because the server tells every
/// connection of changes of the keyboard.
public actor InputFocus {
  private let display: String?
  private let queue = SerialQueue(label: "org.copypasta.input-focus")

  /// Even connecting waits while another program has grabbed the server, so questions have a thread of their own.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// Refers to `display` (such as `:0`), or to the one that the variable `DISPLAY` names.
  public init(display: String?) {
    self.display = display
  }

  /// Asks the server, however long it takes, whether a window has the focus.
  ///
  /// A key that another program has grabbed takes the keyboard from this window while it is down, and not the focus.
  /// - Returns: false if there is no server, too.
  public func isIn(_ window: UInt32) -> Bool {
    do {
      let connection = try XConnection(display: display)
      guard let focus = try connection.focus(.endless) else {
        // The keys go where the pointer is.
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
