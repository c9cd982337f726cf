import Foundation
import Synchronization

/// A private X server with a window manager, a session bus and a home folder of its own.
///
/// Everything that runs on it ends with `stop()`, with its last reference, and with the test process.
///
///     try await VirtualDesktop.with { desktop in
///       try await XClip.copy("hello", on: desktop)
///       #expect(try await XClip.paste(on: desktop) == Array("hello".utf8))
///     }
public final class VirtualDesktop: Sendable {
  /// The size of the screen in pixels.
  public static let size = (width: 1280, height: 900)

  /// The home folder of all that runs here.
  public let home: ScratchHome

  /// The environment of all that runs here.
  public let environment: [String: String]

  /// What runs here, in the order of its start; a test may forget a program's handle.
  private let programs: Mutex<[Program]>

  private init(home: ScratchHome, environment: [String: String], servers: [Program]) {
    self.home = home
    self.environment = environment
    programs = Mutex(servers)
  }

  deinit {
    for program in programs.withLock({ $0 }).reversed() { program.signal(SIGTERM) }
    home.remove()
  }

  /// Starts a desktop, and returns once it is ready for windows.
  ///
  /// - Parameters:
  ///   - windowManager: whether openbox runs; without it no window is ever active.
  ///   - accessibility: whether programs offer themselves to screen readers (needs at-spi2-core).
  public static func start(
    windowManager: Bool = true, accessibility: Bool = false
  ) async throws -> VirtualDesktop {
    let home = try ScratchHome()
    var servers: [Program] = []
    do {
      let environment = try await startServers(&servers, in: home, accessibility: accessibility)
      let desktop = VirtualDesktop(home: home, environment: environment, servers: servers)
      if windowManager { try await desktop.startWindowManager() }
      return desktop
    } catch {
      for server in servers.reversed() { try await server.stop() }
      home.remove()
      throw error
    }
  }

  /// Runs `body` on a fresh desktop, and ends the desktop however `body` ends.
  public nonisolated(nonsending) static func with<Value>(
    windowManager: Bool = true, accessibility: Bool = false,
    _ body: (VirtualDesktop) async throws -> Value
  ) async throws -> Value {
    let desktop = try await start(windowManager: windowManager, accessibility: accessibility)
    do {
      let value = try await body(desktop)
      try await desktop.stop()
      return value
    } catch {
      try await desktop.stop()
      throw error
    }
  }

  /// Ends everything that runs here, the last first, and removes the home folder.
  public func stop() async throws {
    let ending = programs.withLock { programs in
      defer { programs = [] }
      return programs
    }
    for program in ending.reversed() { try await program.stop() }
    home.remove()
  }

  /// Starts a program here; it ends with the desktop.
  public func start(
    _ arguments: [String], environment extra: [String: String] = [:], input: [UInt8] = []
  ) throws -> Program {
    let program = try Program(arguments, environment: environment(with: extra), input: input)
    programs.withLock {
      $0.removeAll { !$0.isRunning }
      $0.append(program)
    }
    return program
  }

  /// Runs a program here to its end, whatever its status.
  public func run(
    _ arguments: [String], environment extra: [String: String] = [:], input: [UInt8] = [],
    within limit: Duration = .seconds(20)
  ) async throws -> Program.Result {
    try await Program.run(arguments, environment: environment(with: extra), input: input, within: limit)
  }

  /// The desktop's environment with some variables changed; an empty value unsets one.
  public func environment(with extra: [String: String]) -> [String: String] {
    environment.merging(extra) { $1 }.filter { extra[$0.key] != "" }
  }
}
