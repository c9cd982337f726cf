import Foundation
import TestSupport
import X11Kit

/// An Xvfb server on a free display number.
///
/// It exits with its last client. The first client belongs to this object, so the server exits with the test process in
/// any case.
final class XServer: Sendable {
  /// The server that all tests share; clipboard tests are serialised for this reason.
  static let shared = Result { try XServer() }

  let display: String
  private let program: Program
  private let firstClient: SelectionReader

  init(screens: Int = 1) throws {
    // Use SIGTERM when the test process exits, because SIGKILL would leave the lock file and the socket in /tmp.
    program = try Program(
      ["Xvfb", "-displayfd", "1", "-terminate", "-nolisten", "tcp"]
        + (0..<screens).flatMap { ["-screen", "\($0)", "640x480x24"] },
      environment: ["PATH": "/usr/bin:/bin"], deathSignal: .terminate)
    while program.isRunning && program.output.last != UInt8(ascii: "\n") { usleep(5_000) }
    display = ":" + String(decoding: program.output.dropLast(), as: UTF8.self)
    firstClient = try SelectionReader(display: display)
  }

  func kill() {
    program.signal(SIGKILL)
    let number = display.dropFirst()
    unlink("/tmp/.X\(number)-lock")
    unlink("/tmp/.X11-unix/X\(number)")
  }
}
