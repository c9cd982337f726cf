/// Why the X server cannot be used.
public enum X11Error: Error, Equatable, Sendable {
  /// No server answered at `display`, which is `DISPLAY`'s value if none was named.
  case cannotConnect(display: String)
  /// The server has ended, or has closed the connection. It does not come back: make a new reader or owner.
  case connectionLost
}
