import Foundation

extension VirtualDesktop {
  /// Starts an X server, adds it to `servers`, and returns what tells programs of it.
  static func startXServer(
    _ servers: inout [Program], in home: ScratchHome
  ) async throws -> [String: String] {
    // SIGTERM where the test process dies: killed, the server would leave its lock file and socket in /tmp.
    let server = try Program(
      [
        "Xvfb", "-displayfd", "1", "-screen", "0", "\(size.width)x\(size.height)x24", "-nolisten", "tcp",
        "-noreset",
      ], environment: home.environment, deathSignal: .terminate)
    servers.append(server)
    let display = try await firstLine(of: server)
    return ["DISPLAY": ":" + display, "GDK_BACKEND": "x11", "XDG_SESSION_TYPE": "x11"]
  }

  /// Starts a session bus, adds it to `servers`, and returns its address.
  static func startBus(
    in home: ScratchHome, accessibility: Bool, servers: inout [Program]
  ) async throws -> String {
    let configuration = home.path + "/bus.conf"
    try FileManager.default.copyItem(atPath: Fixture.path("bus.conf"), toPath: configuration)
    if accessibility {
      let service = "org.a11y.Bus.service"
      try FileManager.default.copyItem(
        atPath: "/usr/share/dbus-1/services/\(service)", toPath: "\(home.services)/\(service)")
    }
    let bus = try Program(
      [
        "dbus-daemon", "--config-file=\(configuration)", "--nofork", "--nosyslog", "--print-address=1",
      ], environment: home.environment, deathSignal: .terminate)
    servers.append(bus)
    return try await firstLine(of: bus)
  }

  /// A server says on standard output where it listens, once it does.
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

  /// Starts a window manager, and returns once it manages windows.
  func start(_ windowManager: WindowManager) async throws {
    switch windowManager {
    case .openbox:
      // It announces itself (_NET_SUPPORTING_WM_CHECK) before that, and a window that is mapped in between stays
      // unmanaged for ever; its startup command runs at the right moment.
      _ = try await Self.firstLine(of: start(["openbox", "--sm-disable", "--startup", "echo ready"]))
    case .xfwm4:
      // It does not run without its settings daemon.
      let service = "org.xfce.Xfconf.service"
      try FileManager.default.copyItem(
        atPath: "/usr/share/dbus-1/services/\(service)", toPath: "\(home.services)/\(service)")
      // And it has warnings of its own, which are not to end it.
      _ = try start(["xfwm4", "--compositor=off"], environment: ["G_DEBUG": ""])
      try await waitUntil("xfwm4") {
        try await run(["xprop", "-root", "_NET_SUPPORTING_WM_CHECK"]).text.contains("window id")
      }
    }
  }
}
