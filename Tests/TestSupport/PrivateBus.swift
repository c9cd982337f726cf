import Foundation

/// An empty session bus for tests without a display; the bus ends when its last reference is released.
public final class PrivateBus: Sendable {
  /// The bus address.
  public let address: String

  private let home: ScratchHome
  private let daemons: [Program]

  private init(address: String, home: ScratchHome, daemons: [Program]) {
    self.address = address
    self.home = home
    self.daemons = daemons
  }

  deinit { for daemon in daemons { daemon.signal(SIGTERM) } }

  /// Starts a bus, and returns once it accepts connections.
  public static func start() async throws -> PrivateBus {
    let home = try await ScratchHome()
    var daemons: [Program] = []
    let address = try await VirtualDesktop.startBus(in: home, accessibility: false, servers: &daemons)
    return PrivateBus(address: address, home: home, daemons: daemons)
  }

  /// Ends the bus, and returns once it has ended.
  public func stop() async throws { for daemon in daemons { try await daemon.stop() } }

  /// Sends the bus a signal, such as SIGSTOP, which stops it until SIGCONT.
  public func signal(_ number: Int32) { for daemon in daemons { daemon.signal(number) } }

  /// Starts a program with this session bus; the program ends with the test process at the latest.
  public func start(_ arguments: [String]) throws -> Program {
    try Program(arguments, environment: environment)
  }

  /// Runs a program on this session bus until it exits, with any exit status.
  public func run(
    _ arguments: [String], within limit: Duration = generousLimit
  ) async throws -> Program.Result {
    try await Program.run(arguments, environment: environment, within: limit)
  }

  private var environment: [String: String] {
    home.environment.merging(["DBUS_SESSION_BUS_ADDRESS": address]) { $1 }
  }
}
