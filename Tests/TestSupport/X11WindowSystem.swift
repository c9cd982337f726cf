/// X11, with a connection of our own for windows and pictures, and xdotool for input.
struct X11WindowSystem: WindowSystem {
  let desktop: VirtualDesktop
  let display: X11Display

  func press(_ keys: [String]) async throws {
    try await xdotool(["key", "--clearmodifiers"] + keys.map(withFunctionKeyByCode))
  }

  func moveMouse(x: Int, y: Int) async throws { try await xdotool(["mousemove", "\(x)", "\(y)"]) }

  /// Clicks, with the button held down for 150 ms, as people do; the window may change meanwhile.
  func click(button: Int) async throws {
    try await xdotool(["mousedown", "\(button)", "sleep", "0.15", "mouseup", "\(button)"])
  }

  /// Replaces a function key by its key code on a PC keyboard.
  ///
  /// Given a key's name, xdotool also presses Alt if the layout has a fourth level for the key, as in
  /// xkeyboard-config 2.45.
  private func withFunctionKeyByCode(_ keys: String) -> String {
    var parts = keys.split(separator: "+").map(String.init)
    guard let last = parts.last, last.hasPrefix("F"), let number = Int(last.dropFirst()), 1...12 ~= number
    else { return keys }
    parts[parts.count - 1] = String(number <= 10 ? 66 + number : 84 + number)
    return parts.joined(separator: "+")
  }

  // MARK: Windows

  func window(titled title: String) async throws -> UInt? {
    try display.windows().first { try display.title(of: $0) == title }
  }

  func windows(ofClass name: String) async throws -> [UInt] { try display.windows(ofClass: name) }

  func activeWindow() async throws -> UInt? { try display.activeWindow() }

  func isVisible(_ window: UInt) async throws -> Bool { try display.isVisible(window) }

  func title(of window: UInt) async throws -> String { try display.title(of: window) }

  func frame(of window: UInt) async throws -> Rectangle { try display.frame(of: window) }

  func activate(_ window: UInt) async throws { try await xdotool(["windowactivate", "\(window)"]) }

  func minimise(_ window: UInt) async throws { try await xdotool(["windowminimize", "\(window)"]) }

  func close(_ window: UInt) async throws {
    // Use wmctrl, because Debian's xdotool can only destroy a window, and not ask it to close.
    try await desktop.run(["wmctrl", "-i", "-c", "\(window)"]).succeeded()
  }

  func openOtherWindow() async throws -> UInt {
    let title = "Another program"
    _ = try desktop.start(["xev", "-name", title, "-geometry", "300x200+940+40"])
    return try await waitFor("window \(title)") { try await window(titled: title) }
  }

  func picture(of window: UInt?) async throws -> Screenshot { try display.picture(of: window) }

  // MARK: Tools

  @discardableResult
  func xdotool(_ arguments: [String]) async throws -> Program.Result {
    try await desktop.run(["xdotool"] + arguments).succeeded()
  }
}
