import Foundation

extension VirtualDesktop {
  /// Starts a session bus, adds it to `servers`, and returns its address.
  static func startBus(
    in home: ScratchHome, accessibility: Bool, servers: inout [Program]
  ) async throws -> String {
    let configuration = home.path + "/bus.conf"
    try FileManager.default.copyItem(atPath: Fixture.path("bus.conf"), toPath: configuration)
    if accessibility { try home.allowService("org.a11y.Bus") }
    let bus = try Program(
      ["dbus-daemon", "--config-file=\(configuration)", "--nofork", "--nosyslog", "--print-address=1"],
      environment: home.environment, deathSignal: .terminate)
    servers.append(bus)
    return try await firstLine(of: bus)
  }

  /// Waits for a server's first line of output, which it prints when it accepts connections.
  static func firstLine(of server: Program) async throws -> String {
    do {
      return try await waitFor(server.arguments[0], every: .milliseconds(5)) {
        let output = server.output
        if let end = output.firstIndex(of: UInt8(ascii: "\n")) {
          return String(decoding: output[..<end], as: UTF8.self)
        }
        if let exit = server.exit { throw TestSupportError("\(exit)") }
        return nil
      }
    } catch { throw TestSupportError("\(error)\n\(server.errors)") }
  }

  /// A window manager of X11.
  public enum WindowManager: Sendable, CaseIterable {
    case openbox, xfwm4
  }

  /// Starts xfwm4, and returns once it manages windows.
  func startXfwm4() async throws {
    // xfwm4 needs its settings daemon.
    try home.allowService("org.xfce.Xfconf")
    // xfwm4's own warnings must not end it.
    _ = try start(["xfwm4", "--compositor=off"], environment: ["G_DEBUG": ""])
    try await waitUntil("xfwm4") { try x11Server?.display.hasWindowManager() == true }
  }
}
