import Foundation
import TestSupport
import X11Kit

/// An X server without a screen, on a free display number.
///
/// The server ends with its last client, and the first is this object: so with the test process, however that ends.
final class XServer: Sendable {
  /// The server that every test shares; clipboard tests are serialized for it.
  static let shared = Result { try XServer() }

  let display: String
  private let program: Program
  private let firstClient: SelectionReader

  init(screens: Int = 1) throws {
    // SIGTERM if the test process dies: killed, the server would leave its lock file and socket in /tmp.
    program = try Program(
      ["Xvfb", "-displayfd", "1", "-terminate", "-nolisten", "tcp"]
        + (0..<screens).flatMap { ["-screen", "\($0)", "640x480x24"] },
      environment: ["PATH": "/usr/bin:/bin"], deathSignal: .terminate)
    while program.isRunning && program.output.last != UInt8(ascii: "\n") { usleep(5_000) }
    display = ":" + String(decoding: program.output.dropLast(), as: UTF8.self)
    firstClient = try SelectionReader(display: display)
  }

  /// Ends it under its clients.
  func kill() {
    program.signal(SIGKILL)
    let number = display.dropFirst()
    unlink("/tmp/.X\(number)-lock")
    unlink("/tmp/.X11-unix/X\(number)")
  }
}
