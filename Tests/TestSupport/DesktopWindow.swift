/// A top-level window on a virtual desktop.
public struct DesktopWindow: Sendable {
  /// The X window's number.
  public let id: UInt
  /// The desktop it is on.
  public let desktop: VirtualDesktop

  /// Whether the window manager names it as the active one.
  public func isActive() async throws -> Bool {
    try await desktop.activeWindow()?.id == id
  }

  /// Whether it is mapped: neither hidden, nor minimised, nor gone.
  public func isVisible() async throws -> Bool {
    try await desktop.run(["xwininfo", "-id", "\(id)"]).text.contains("Map State: IsViewable")
  }

  /// Its title.
  public func title() async throws -> String {
    try await desktop.xdotool("getwindowname", "\(id)").text
  }

  /// Where it is on the screen, in pixels, without what the window manager draws around it.
  public func frame() async throws -> Rectangle {
    let answer = try await desktop.xdotool("getwindowgeometry", "--shell", "\(id)").text
    var values: [Substring: Int] = [:]
    for line in answer.split(separator: "\n") {
      let parts = line.split(separator: "=")
      if parts.count == 2 { values[parts[0]] = Int(parts[1]) }
    }
    guard let x = values["X"], let y = values["Y"], let width = values["WIDTH"], let height = values["HEIGHT"]
    else { throw TestSupportError("window \(id) has no geometry: \(answer)") }
    return Rectangle(x: x, y: y, width: width, height: height)
  }

  /// Makes it the active window, and returns once it is; also brings it back from being minimised.
  public func activate() async throws {
    try await desktop.xdotool("windowactivate", "\(id)")
    try await waitUntil("window \(id) active") { try await isActive() }
  }

  /// Minimises it, and returns once it has left the screen.
  public func minimise() async throws {
    try await desktop.xdotool("windowminimize", "\(id)")
    try await waitUntil("window \(id) minimised") { try await !isVisible() }
  }

  /// Asks it to close, like the window manager's close button.
  public func close() async throws {
    // Debian's xdotool can only destroy a window, not ask it.
    let result = try await desktop.run(["wmctrl", "-i", "-c", "\(id)"])
    guard result.exit == .code(0) else { throw TestSupportError("wmctrl: \(result.errors)") }
  }

  /// Clicks at a position inside the window.
  public func click(x: Int, y: Int, button: Int = 1) async throws {
    try await moveMouse(x: x, y: y)
    try await desktop.xdotool("click", "\(button)")
  }

  /// Moves the pointer to a position inside the window.
  public func moveMouse(x: Int, y: Int) async throws {
    let frame = try await frame()
    try await desktop.moveMouse(x: frame.x + x, y: frame.y + y)
  }
}
