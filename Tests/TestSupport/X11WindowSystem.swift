import Foundation

/// X11, by xdotool and the tools of X itself.
struct X11WindowSystem: WindowSystem {
  let desktop: VirtualDesktop

  func press(_ keys: [String]) async throws { try await xdotool(["key", "--clearmodifiers"] + keys) }

  func type(_ text: String) async throws { try await xdotool(["type", "--delay", "5", "--", text]) }

  func moveMouse(x: Int, y: Int) async throws { try await xdotool(["mousemove", "\(x)", "\(y)"]) }

  func click(button: Int, times: Int) async throws {
    try await xdotool(["click", "--repeat", "\(times)", "--delay", "30", "\(button)"])
  }

  // MARK: Windows

  func window(titled title: String) async throws -> UInt? {
    try await windows("--name", "^\(NSRegularExpression.escapedPattern(for: title))$").first
  }

  func windows(ofClass name: String) async throws -> [UInt] {
    try await windows("--class", "^\(NSRegularExpression.escapedPattern(for: name))$")
  }

  func activeWindow() async throws -> UInt? {
    // "_NET_ACTIVE_WINDOW: window id # 0x600007", or 0x0 where no window has the focus; xfwm4 adds ", 0x0".
    let answer = try await desktop.run(["xprop", "-root", "-notype", "_NET_ACTIVE_WINDOW"]).text
    let words = answer.split { $0 == " " || $0 == "," }
    guard let number = words.first(where: { $0.hasPrefix("0x") })?.dropFirst(2),
      let id = UInt(number, radix: 16), id != 0
    else { return nil }
    return id
  }

  func isVisible(_ window: UInt) async throws -> Bool {
    try await desktop.run(["xwininfo", "-id", "\(window)"]).text.contains("Map State: IsViewable")
  }

  func title(of window: UInt) async throws -> String {
    try await xdotool(["getwindowname", "\(window)"]).text
  }

  func frame(of window: UInt) async throws -> Rectangle {
    let answer = try await xdotool(["getwindowgeometry", "--shell", "\(window)"]).text
    var values: [Substring: Int] = [:]
    for line in answer.split(separator: "\n") {
      let parts = line.split(separator: "=")
      if parts.count == 2 { values[parts[0]] = Int(parts[1]) }
    }
    guard let x = values["X"], let y = values["Y"], let width = values["WIDTH"], let height = values["HEIGHT"]
    else { throw TestSupportError("window \(window) has no geometry: \(answer)") }
    return Rectangle(x: x, y: y, width: width, height: height)
  }

  func activate(_ window: UInt) async throws { try await xdotool(["windowactivate", "\(window)"]) }

  func minimise(_ window: UInt) async throws { try await xdotool(["windowminimize", "\(window)"]) }

  func close(_ window: UInt) async throws {
    // Debian's xdotool can only destroy a window, not ask it.
    let result = try await desktop.run(["wmctrl", "-i", "-c", "\(window)"])
    guard result.exit == .code(0) else { throw TestSupportError("wmctrl: \(result.errors)") }
  }

  func openOtherWindow(titled title: String) async throws -> UInt {
    _ = try desktop.start(["xev", "-name", title, "-geometry", "300x200+940+40"])
    return try await waitFor("window \(title)") { try await window(titled: title) }
  }

  func picture(of window: UInt?) async throws -> [UInt8] {
    let result = try await desktop.run(
      ["import", "-silent", "-window", window.map { "\($0)" } ?? "root", "-depth", "8", "ppm:-"])
    guard result.exit == .code(0) else { throw TestSupportError("import: \(result.errors)") }
    return result.output
  }

  // MARK: Tools

  @discardableResult
  func xdotool(_ arguments: [String]) async throws -> Program.Result {
    let result = try await desktop.run(["xdotool"] + arguments)
    guard result.exit == .code(0) else { throw TestSupportError("xdotool \(arguments): \(result.errors)") }
    return result
  }

  private func windows(_ criterion: String...) async throws -> [UInt] {
    // xdotool ends with 1 where it finds nothing, and where a window went away while it looked.
    let answer = try await desktop.run(["xdotool", "search", "--onlyvisible"] + criterion)
    return answer.text.split(separator: "\n").compactMap { UInt($0) }
  }
}
