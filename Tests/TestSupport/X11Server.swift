import Foundation
import Synchronization

/// An X server without a screen, and the window manager on it.
final class X11Server: Sendable {
  /// Servers with openbox that nobody uses at the moment, as fresh ones are.
  private static let idle = Mutex<[X11Server]>([])

  /// The value of `DISPLAY`.
  let name: String
  /// The server itself.
  let process: Program
  /// A connection to it.
  let display: X11Display

  private let home: ScratchHome
  private let windowManager: Program?
  private let initialState: [String]

  /// Starts a server, and with openbox returns once that manages windows.
  init(withOpenbox: Bool) async throws {
    home = try await ScratchHome()
    // SIGTERM if the test process dies: killed, the server would leave its lock file and socket in /tmp.
    process = try Program(
      [
        "Xvfb", "-displayfd", "1", "-screen", "0",
        "\(VirtualDesktop.size.width)x\(VirtualDesktop.size.height)x24", "-nolisten", "tcp", "-noreset",
      ], environment: home.environment, deathSignal: .terminate)
    var windowManager: Program?
    do {
      name = ":" + (try await VirtualDesktop.firstLine(of: process))
      display = try X11Display(name)
      if withOpenbox {
        let openbox = try Program(
          // openbox announces itself (_NET_SUPPORTING_WM_CHECK) before it manages windows; a window mapped in
          // between stays unmanaged for ever; its startup command runs at the right moment.
          ["openbox", "--sm-disable", "--startup", "echo ready"],
          environment: home.environment.merging(["DISPLAY": name]) { $1 })
        windowManager = openbox
        _ = try await VirtualDesktop.firstLine(of: openbox)
      }
      self.windowManager = windowManager
      initialState = try display.state()
    } catch {
      try await windowManager?.stop()
      try await process.stop()
      home.remove()
      throw error
    }
  }

  /// A server with openbox for one test alone: one that another test has given back, or a fresh one.
  static func withOpenbox() async throws -> X11Server {
    while let server = idle.withLock({ $0.popLast() }) { if server.process.isRunning { return server } }
    return try await X11Server(withOpenbox: true)
  }

  /// Takes the server back from a test that has ended all its programs.
  ///
  /// A server on which anything is left of that test, such as a keyboard layout or a lock, is not lent again.
  func giveBack() async throws {
    guard windowManager?.isRunning == true, process.isRunning, try await isAsAtFirst() else {
      return try await stop()
    }
    Self.idle.withLock { $0.append(self) }
  }

  /// Ends server and window manager.
  func stop() async throws {
    try await windowManager?.stop()
    try await process.stop()
    home.remove()
  }

  /// A window and a selection go a moment after the program that had them.
  private func isAsAtFirst() async throws -> Bool {
    do {
      try display.centrePointer()
      return try await eventually(within: .seconds(2), every: .milliseconds(5)) {
        try display.state() == initialState
      }
    } catch {
      // The server has gone: the test was about that.
      return false
    }
  }
}
