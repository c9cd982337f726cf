import Foundation
import Synchronization

/// An Xvfb server, optionally with openbox.
final class X11Server: Sendable {
  /// Unused servers with openbox, in their initial state.
  private static let idle = Mutex<[X11Server]>([])

  private let server: XServer
  /// A connection to the server.
  let display: X11Display

  /// The value of `DISPLAY`.
  var name: String { server.display }
  /// The server's process.
  var process: Program { server.process }

  private let home: ScratchHome
  private let windowManager: Program?
  private let initialState: [String]

  /// Starts a server; with openbox, returns once openbox manages windows.
  init(withOpenbox: Bool) async throws {
    home = try await ScratchHome()
    server = try await XServer(width: VirtualDesktop.size.width, height: VirtualDesktop.size.height)
    var windowManager: Program?
    do {
      display = try X11Display(server.display)
      if withOpenbox {
        let openbox = try Program(
          // Wait for the startup command, which runs when openbox manages windows. openbox sets
          // _NET_SUPPORTING_WM_CHECK earlier, and a window that is mapped in between stays unmanaged.
          ["openbox", "--sm-disable", "--startup", "echo ready"],
          environment: home.environment.merging(["DISPLAY": server.display]) { $1 })
        windowManager = openbox
        _ = try await VirtualDesktop.firstLine(of: openbox)
      }
      self.windowManager = windowManager
      initialState = try display.state()
    } catch {
      try await windowManager?.stop()
      try await server.process.stop()
      throw error
    }
  }

  /// Returns a server with openbox for one test, either an unused one or a new one.
  static func withOpenbox() async throws -> X11Server {
    while let server = idle.withLock({ $0.popLast() }) { if server.process.isRunning { return server } }
    return try await X11Server(withOpenbox: true)
  }

  /// Gives the server back for reuse, after a test whose programs have all ended.
  ///
  /// The server is reused only if it is in its initial state, for example without a changed keyboard layout or a lock.
  func giveBack() async throws {
    guard windowManager?.isRunning == true, process.isRunning, try await isAsAtFirst() else {
      return try await stop()
    }
    Self.idle.withLock { $0.append(self) }
  }

  /// Ends the server and the window manager.
  func stop() async throws {
    try await windowManager?.stop()
    try await process.stop()
  }

  /// Waits for the initial state, because windows and selections disappear shortly after their program has ended.
  private func isAsAtFirst() async throws -> Bool {
    do {
      try display.centrePointer()
      return try await eventually(within: .seconds(2), every: .milliseconds(5)) {
        try display.state() == initialState
      }
    } catch {
      // The test has ended the server on purpose.
      return false
    }
  }
}
