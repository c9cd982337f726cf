/// A top-level window on a virtual desktop.
public struct DesktopWindow: Sendable {
  /// The window's id in the X server or the compositor.
  public let id: UInt
  /// The desktop that shows the window.
  public let desktop: VirtualDesktop

  private var system: any WindowSystem { desktop.windowSystem }

  /// Whether this is the window manager's active window.
  ///
  /// A hidden window is not active, although a busy window manager may not have noticed yet that it was hidden.
  public func isActive() async throws -> Bool {
    guard try await isVisible() else { return false }
    return try await system.activeWindow() == id
  }

  /// Whether the window is mapped: it exists and is neither hidden nor minimised.
  public func isVisible() async throws -> Bool { try await system.isVisible(id) }

  /// The title.
  public func title() async throws -> String { try await system.title(of: id) }

  /// The window's rectangle on the screen in pixels, without the window manager's frame.
  public func frame() async throws -> Rectangle { try await system.frame(of: id) }

  /// Activates the window, even if it is minimised, and returns once it is active.
  public func activate() async throws {
    try await system.activate(id)
    try await waitUntil("window \(id) active") { try await isActive() }
  }

  /// Minimises the window, and returns once it has left the screen.
  public func minimise() async throws {
    try await system.minimise(id)
    try await waitUntil("window \(id) minimised") { try await !isVisible() }
  }

  /// Asks the window to close, like the window manager's close button.
  public func close() async throws { try await system.close(id) }

  /// Clicks at a position inside the window.
  public func click(x: Int, y: Int, button: Int = 1) async throws {
    try await moveMouse(x: x, y: y)
    try await system.click(button: button)
  }

  /// Moves the pointer to a position inside the window.
  public func moveMouse(x: Int, y: Int) async throws {
    let frame = try await frame()
    try await desktop.moveMouse(x: frame.x + x, y: frame.y + y)
  }
}
