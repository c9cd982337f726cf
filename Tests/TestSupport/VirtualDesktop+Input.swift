extension VirtualDesktop {
  /// Presses and releases keys for the active window: `press("ctrl+c")`, `press("Down", "Return")`.
  public func press(_ keys: String...) async throws {
    try await run(xdotool: ["key", "--clearmodifiers"] + keys)
  }

  /// Types a text for the active window.
  public func type(_ text: String) async throws {
    try await run(xdotool: ["type", "--delay", "5", "--", text])
  }

  /// Moves the pointer to a position on the screen.
  public func moveMouse(x: Int, y: Int) async throws {
    try await xdotool("mousemove", "\(x)", "\(y)")
  }

  /// Clicks at a position on the screen; button 1 is the primary one, 3 the secondary, 4 and 5 scroll.
  public func click(x: Int, y: Int, button: Int = 1, times: Int = 1) async throws {
    try await moveMouse(x: x, y: y)
    try await xdotool("click", "--repeat", "\(times)", "--delay", "30", "\(button)")
  }

  /// Runs an xdotool command that must succeed.
  @discardableResult
  public func xdotool(_ arguments: String...) async throws -> Program.Result {
    try await run(xdotool: arguments)
  }

  @discardableResult
  private func run(xdotool arguments: [String]) async throws -> Program.Result {
    let result = try await run(["xdotool"] + arguments)
    guard result.exit == .code(0) else { throw TestSupportError("xdotool \(arguments): \(result.errors)") }
    return result
  }
}
