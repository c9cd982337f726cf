import Foundation

/// An Xvfb server on a free display number, which ends with its last reference.
public final class XServer: Sendable {
  /// The value of `DISPLAY`.
  public let display: String
  /// The server's process.
  let process: Program

  /// Starts a server, and returns once it accepts connections.
  public init(screens: Int = 1, width: Int = 640, height: Int = 480) async throws {
    // End it with SIGTERM if the test process dies. SIGKILL would leave its lock file and socket in /tmp.
    process = try Program(
      ["Xvfb", "-displayfd", "1", "-nolisten", "tcp", "-noreset"]
        + (0..<screens).flatMap { ["-screen", "\($0)", "\(width)x\(height)x24"] },
      environment: ["PATH": "/usr/bin:/bin"], deathSignal: .terminate)
    display = ":" + (try await VirtualDesktop.firstLine(of: process))
  }

  deinit { process.signal(SIGTERM) }

  /// Kills the server, and removes the files that it leaves.
  public func kill() {
    process.signal(SIGKILL)
    let number = display.dropFirst()
    unlink("/tmp/.X\(number)-lock")
    unlink("/tmp/.X11-unix/X\(number)")
  }
}
