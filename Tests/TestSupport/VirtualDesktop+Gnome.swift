import Foundation

extension VirtualDesktop {
  /// Starts GNOME Shell, adds it to `servers`, and returns the environment variables for its clients.
  static func startGnome(
    _ servers: inout [Program], in home: ScratchHome, bus: String
  ) async throws -> [String: String] {
    let name = "gnome"
    let environment = home.environment.merging([
      // Use the session bus as the system bus too, so that system services are reported as missing.
      "DBUS_SESSION_BUS_ADDRESS": bus, "DBUS_SYSTEM_BUS_ADDRESS": bus,
      "XDG_SESSION_TYPE": "wayland", "XDG_CURRENT_DESKTOP": "GNOME",
      // The shell's own warnings must not end it.
      "G_DEBUG": "",
    ]) { $1 }
    servers.append(
      try Program(
        [
          // The unsafe mode lets the tests evaluate JavaScript in the shell.
          "gnome-shell", "--wayland", "--headless", "--no-x11", "--unsafe-mode", "--wayland-display", name,
          "--virtual-monitor", "\(size.width)x\(size.height)",
        ], environment: environment, deathSignal: .terminate))
    return ["WAYLAND_DISPLAY": name, "XDG_CURRENT_DESKTOP": "GNOME"]
  }

  /// Plugs in keyboard, pointer and touch screen, and returns once the shell is ready for windows.
  func setUpGnome() async throws {
    let shell = GnomeWindowSystem(desktop: self)
    try await startDriver("gnome_shell.py")
    try await waitUntil("GNOME Shell", every: .milliseconds(100)) {
      if let exit = servers.compactMap(\.exit).first { throw TestSupportError("gnome-shell: \(exit)") }
      // The call fails until the shell is on the bus.
      do {
        return try await shell.evaluate("Main.layoutManager._startingUp") == "false"
      } catch is TestSupportError { return false }
    }
    let script = try String(contentsOfFile: Fixture.path("gnome_shell.js"), encoding: .utf8)
    try await shell.evaluate(script)
    try await waitUntil("the overview gone") { try await shell.evaluate("Main.overview.visible") == "false" }
  }

  /// Pastes a text inside GNOME Shell, which needs no window and therefore does not change the focus.
  func pasteInGnomeShell() async throws -> [UInt8]? {
    let shell = GnomeWindowSystem(desktop: self)
    try await shell.call("paste()")
    var answer = ""
    try await waitUntil("the pasted text") {
      answer = try await shell.call("pasted")
      return answer != ""
    }
    return try JSONDecoder().decode(String?.self, from: Data(answer.utf8)).map { Array($0.utf8) }
  }

  /// Binds keys, such as `<Control>v`, to a command in GNOME Shell until the desktop ends.
  public func bindInGnome(_ accelerator: String, to command: [String]) async throws {
    let shell = GnomeWindowSystem(desktop: self)
    let bound = try await shell.call("bind(\(shell.literal(accelerator)), \(shell.literal(command)))")
    guard bound != "0" else { throw TestSupportError("\(accelerator) is taken") }
  }
}
