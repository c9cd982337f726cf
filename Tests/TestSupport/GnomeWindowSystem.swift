import Foundation

/// GNOME on Wayland, controlled by `gnome_shell.js` inside the shell: virtual devices, windows and pictures.
struct GnomeWindowSystem: Compositor {
  let desktop: VirtualDesktop

  func press(_ keys: [String]) async throws { try await call("press(...\(literal(keys)))") }

  func moveMouse(x: Int, y: Int) async throws { try await call("moveMouse(\(x), \(y))") }

  func click(button: Int) async throws { try await call("click(\(button))") }

  func windows() async throws -> [CompositorWindow] {
    try JSONDecoder().decode([CompositorWindow].self, from: Data(try await call("windows").utf8))
  }

  func activate(_ window: UInt) async throws {
    try await call("window(\(window))?.activate(global.get_current_time())")
  }

  func minimise(_ window: UInt) async throws { try await call("window(\(window))?.minimize()") }

  func close(_ window: UInt) async throws {
    try await call("window(\(window))?.delete(global.get_current_time())")
  }

  func picture(of window: UInt?) async throws -> Screenshot {
    let size = VirtualDesktop.size
    var part = Rectangle(x: 0, y: 0, width: size.width, height: size.height)
    if let window { part = try await frame(of: window) }
    let file = desktop.home.path + "/picture.png"
    try await desktop.run([
      "gdbus", "call", "--session", "--dest", "org.gnome.Shell", "--object-path",
      "/org/gnome/Shell/Screenshot", "--method", "org.gnome.Shell.Screenshot.ScreenshotArea",
      "\(part.x)", "\(part.y)", "\(part.width)", "\(part.height)", "false", file,
    ]).succeeded()
    let picture = try await desktop.run(["convert", file, "-depth", "8", "ppm:-"]).succeeded()
    return try Screenshot(ppm: picture.output)
  }

  // MARK: Inside the shell

  /// Calls a method or reads a property of the object that `gnome_shell.js` defines; returns JSON.
  @discardableResult
  func call(_ code: String) async throws -> String { try await evaluate("tests." + code) }

  /// Runs JavaScript in the shell, which must succeed; returns JSON.
  @discardableResult
  func evaluate(_ code: String) async throws -> String {
    try desktop.ask(desktop.driverSocket, code)
  }

  /// A value as a JavaScript literal.
  func literal(_ value: some Encodable) throws -> String {
    String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
  }
}
