import SerialQueue

/// The window that the user works in, as the window manager names it (`_NET_ACTIVE_WINDOW`, EWMH).
///
/// Each question has a connection of its own: one that is kept would have to be read, because the server tells every
/// connection of changes of the keyboard.
public actor ActiveWindow {
  private let display: String?
  private let queue = SerialQueue(label: "org.copypasta.active-window")

  /// Even connecting waits while another program has grabbed the server, so questions have a thread of their own.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// Refers to `display` (such as `:0`), or to the one that the variable `DISPLAY` names.
  public init(display: String?) {
    self.display = display
  }

  /// Asks the server, however long it takes.
  ///
  /// A key that another program has grabbed takes the focus from this window while it is down, and not the property.
  /// - Returns: nil if there is no server, or no window manager that names the window.
  public func id() -> UInt32? {
    do {
      let connection = try XConnection(display: display)
      let name = try Atoms(connection)[.activeWindow]
      // The specification has one value; xfwm4 writes two.
      return connection.elements(of: name, of: connection.root, limit: 16)?.first
    } catch {
      return nil
    }
  }
}
