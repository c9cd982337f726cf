/// The window that the user works in, as the window manager has it (`_NET_ACTIVE_WINDOW`, EWMH).
public enum ActiveWindow {
  /// Asks `display`; nil where there is no window manager that says so, or no server.
  ///
  /// A key that another program has grabbed takes the keyboard from this window while it is down, and not the name.
  public static func id(on display: String?) -> UInt32? {
    do {
      let connection = try Connection(display: display)
      let name = try Atoms(connection)[.activeWindow]
      // One value, by the specification; xfwm4 writes two.
      return try connection.elements(of: name, of: connection.root, limit: 16)?.first
    } catch {
      return nil
    }
  }
}
