extension VirtualDesktop {
  /// Taps a position on GNOME's touch screen.
  public func tap(x: Int, y: Int) async throws {
    try await GnomeWindowSystem(desktop: self).call("tap(\(x), \(y))")
  }

  /// Holds a finger at a position on GNOME's touch screen while `body` runs.
  public nonisolated(nonsending) func holdFinger(
    x: Int, y: Int, until body: () async throws -> Void
  ) async throws {
    let shell = GnomeWindowSystem(desktop: self)
    try await shell.call("touchDown(\(x), \(y))")
    try await body()
    try await shell.call("touchUp()")
  }

  /// Swipes a finger across GNOME's touch screen from (`x`, `y`), by `right` pixels.
  public func swipeFinger(fromX x: Int, y: Int, right: Int) async throws {
    let shell = GnomeWindowSystem(desktop: self)
    try await shell.call("swipe(\(x), \(y), \(right))")
    try await waitUntil("the finger off") { try await shell.call("isTouched") == "false" }
  }
}
