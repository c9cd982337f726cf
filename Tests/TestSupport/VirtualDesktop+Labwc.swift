import Foundation

extension VirtualDesktop {
  /// Starts labwc, adds it to `servers`, and returns the environment variables for its clients.
  static func startLabwc(
    _ servers: inout [Program], in home: ScratchHome, bus: String
  ) async throws -> [String: String] {
    let folder = home.path + "/labwc"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try FileManager.default.copyItem(atPath: Fixture.path("labwc.xml"), toPath: folder + "/rc.xml")
    let environment = home.environment.merging([
      "DBUS_SESSION_BUS_ADDRESS": bus, "GDK_BACKEND": "wayland", "XDG_SESSION_TYPE": "wayland",
      "XDG_CURRENT_DESKTOP": "labwc", "WLR_BACKENDS": "headless", "WLR_RENDERER": "pixman",
      "WLR_LIBINPUT_NO_DEVICES": "1",
    ]) { $1 }
    let server = try Program(
      ["labwc", "--config-dir", folder, "--startup", #"sh -c 'echo "$WAYLAND_DISPLAY"'"#],
      environment: environment, deathSignal: .terminate)
    servers.append(server)
    return ["WAYLAND_DISPLAY": try await firstLine(of: server), "XDG_CURRENT_DESKTOP": "labwc"]
  }

  /// Plugs in a keyboard and a pointer, and returns once labwc has them.
  func setUpLabwc() async throws {
    let keyboard = try plugInKeyboard()
    let numbers = [screenSize.width, screenSize.height].map(String.init)
    do { try await startDriver("labwc.py", numbers) } catch {
      throw TestSupportError("\(error)\nwtype: \(keyboard.errors)")
    }
  }

  /// Binds Ctrl+Super+V to a command in labwc.
  public func bindInLabwc(to command: [String]) throws {
    let words = command.map { "'\($0)'" }.joined(separator: " ")
    try "exec \(words)\n".write(toFile: home.path + "/bound-command", atomically: true, encoding: .utf8)
  }
}
