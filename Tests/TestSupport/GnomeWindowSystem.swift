import Foundation

/// GNOME on Wayland, by what `gnome_shell.js` does inside the shell: its own virtual devices, windows and pictures.
struct GnomeWindowSystem: WindowSystem {
  let desktop: VirtualDesktop

  func press(_ keys: [String]) async throws { try await call("press(...\(literal(keys)))") }

  func type(_ text: String) async throws { try await call("type(\(literal(text)))") }

  func moveMouse(x: Int, y: Int) async throws { try await call("moveMouse(\(x), \(y))") }

  func click(button: Int, times: Int) async throws {
    for _ in 1...times { try await call("click(\(button))") }
  }

  // MARK: Windows

  func window(titled title: String) async throws -> UInt? {
    try await windows().first { $0.title == title && $0.isVisible }?.id
  }

  func windows(ofClass name: String) async throws -> [UInt] {
    try await windows().filter { $0.applicationID == name && $0.isVisible }.map(\.id)
  }

  func activeWindow() async throws -> UInt? { try await windows().first(where: \.isActive)?.id }

  func isVisible(_ window: UInt) async throws -> Bool { try await state(of: window)?.isVisible == true }

  func title(of window: UInt) async throws -> String { try await state(of: window)?.title ?? "" }

  func frame(of window: UInt) async throws -> Rectangle {
    guard let frame = try await state(of: window)?.frame
    else { throw TestSupportError("no window \(window)") }
    return Rectangle(x: frame.x, y: frame.y, width: frame.width, height: frame.height)
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
    try await run([
      "gdbus", "call", "--session", "--dest", "org.gnome.Shell", "--object-path",
      "/org/gnome/Shell/Screenshot", "--method", "org.gnome.Shell.Screenshot.ScreenshotArea",
      "\(part.x)", "\(part.y)", "\(part.width)", "\(part.height)", "false", file,
    ])
    return try Screenshot(ppm: try await run(["convert", file, "-depth", "8", "ppm:-"]).output)
  }

  // MARK: Inside the shell

  /// Calls a method, or reads a property, of what `gnome_shell.js` has made there; the answer is JSON.
  @discardableResult
  func call(_ code: String) async throws -> String { try await evaluate("tests." + code) }

  /// Runs JavaScript in the shell, which must succeed; the answer is JSON.
  @discardableResult
  func evaluate(_ code: String) async throws -> String {
    try await run(["/usr/bin/python3", Fixture.path("gnome_shell.py"), code]).text
  }

  /// A value as JavaScript writes it.
  func literal(_ value: some Encodable) throws -> String {
    String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
  }

  @discardableResult
  private func run(_ command: [String]) async throws -> Program.Result {
    let result = try await desktop.run(command)
    guard result.exit == .code(0) else { throw TestSupportError("\(command): \(result.errors)") }
    return result
  }

  private func windows() async throws -> [Window] {
    try JSONDecoder().decode([Window].self, from: Data(try await call("windows").utf8))
  }

  private func state(of window: UInt) async throws -> Window? {
    try await windows().first { $0.id == window }
  }
}

/// What the shell says of a window.
private struct Window: Decodable {
  struct Frame: Decodable { let x, y, width, height: Int }

  let id: UInt
  let title, applicationID: String
  let isVisible, isActive: Bool
  let frame: Frame
}
