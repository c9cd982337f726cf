import Foundation
import X11Kit

/// An X server without a screen, on a free display number.
///
/// It ends with its last client, and the first is this object: so it ends with the test process, however that does.
final class XServer: Sendable {
  /// What every test shares; clipboard tests are serialized for it.
  static let shared = Result { try XServer() }

  let display: String
  private let processID: pid_t
  private let firstClient: SelectionReader

  init(screens: Int = 1) throws {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/Xvfb")
    process.arguments = ["-displayfd", "1", "-terminate", "-nolisten", "tcp"]
    process.arguments? += (0..<screens).flatMap { ["-screen", "\($0)", "640x480x24"] }
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    var number = Data()
    while number.last != UInt8(ascii: "\n") {
      guard let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty else {
        throw CocoaError(.fileReadUnknown)
      }
      number += byte
    }
    display = ":" + String(decoding: number.dropLast(), as: UTF8.self)
    processID = process.processIdentifier
    firstClient = try SelectionReader(display: display)
  }

  /// Ends it under its clients.
  func kill() {
    // SIGTERM it does not hear: Foundation's children inherit the blocked signals of the thread that starts them.
    Glibc.kill(processID, SIGKILL)
    let number = display.dropFirst()
    unlink("/tmp/.X\(number)-lock")
    unlink("/tmp/.X11-unix/X\(number)")
  }
}
