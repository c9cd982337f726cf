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
    try await server.waitUntil("the server ready", every: .milliseconds(5)) { !$0.isEmpty }
    return server.lines[0]
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
