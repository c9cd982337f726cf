extension VirtualDesktop {
  /// Presses and releases keys in the active window: `press("ctrl+c")`, `press("Down", "Return")`.
  public func press(_ keys: String...) async throws { try await windowSystem.press(keys) }

  /// Moves the pointer to a position on the screen.
  public func moveMouse(x: Int, y: Int) async throws { try await windowSystem.moveMouse(x: x, y: y) }

  /// Clicks at a position on the screen; button 1 is the primary one, 3 the secondary.
  public func click(x: Int, y: Int, button: Int = 1) async throws {
    try await moveMouse(x: x, y: y)
    try await windowSystem.click(button: button)
  }

  /// Runs an xdotool command, which must succeed, on X11.
  @discardableResult
  public func xdotool(_ arguments: String...) async throws -> Program.Result {
    try await x11.xdotool(arguments)
  }

  /// Moves two fingers on a touchpad by `right` pixels, with the pointer at (`x`, `y`) on the screen.
  ///
  /// The content follows the fingers. This works only on Wayland, because X11 does not report when fingers touch and
  /// leave the touchpad.
  public func swipe(fromX x: Int, y: Int, right: Int) async throws {
    let numbers = [x, y, right, Self.size.width, Self.size.height].map(String.init)
    try await run(Fixture.python("swipe.py", numbers)).succeeded()
  }
}
