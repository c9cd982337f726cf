import Foundation

/// A compositor whose windows and pointer a script in `Fixtures` controls through the compositor's own protocols.
protocol ScriptedCompositor: Compositor {}

extension ScriptedCompositor {
  func windows() async throws -> [CompositorWindow] { try order("windows") }

  func moveMouse(x: Int, y: Int) async throws { try order("move \(x) \(y)") }

  func click(button: Int) async throws { try order("click \(button)") }

  func activate(_ window: UInt) async throws { try order("activate \(window)") }

  func minimise(_ window: UInt) async throws { try order("minimise \(window)") }

  func close(_ window: UInt) async throws { try order("close \(window)") }

  /// Sends an order to the script, which answers with the windows.
  @discardableResult
  func order(_ words: String) throws -> [CompositorWindow] {
    let stream = try UnixSocket(to: desktop.driverSocket)
    try stream.send(Data((words + "\n").utf8))
    return try JSONDecoder().decode([CompositorWindow].self, from: try stream.receiveToEnd())
  }
}

/// A script's answer to a question.
private struct Answer<Value: Decodable>: Decodable {
  let answer: Value?
  let error: String?
}

extension VirtualDesktop {
  /// The socket of the script.
  var driverSocket: String { home.runtimeDirectory + "/driver" }

  /// Starts a script, which plugs in virtual devices, and returns once it accepts orders.
  func startDriver(_ script: String, _ arguments: [String] = []) async throws {
    _ = try await Self.firstLine(of: start(Fixture.python(script, [driverSocket] + arguments)))
  }

  /// Sends a question to a script that answers on the socket `path` with `{"answer": …}` or `{"error": "…"}`.
  func ask<Value: Decodable>(_ path: String, _ question: String) throws -> Value {
    let socket = try UnixSocket(to: path)
    try socket.send(try JSONEncoder().encode(question) + Data("\n".utf8))
    let answer = try JSONDecoder().decode(Answer<Value>.self, from: try socket.receiveToEnd())
    guard let value = answer.answer else {
      throw TestSupportError("\(question): \(answer.error ?? "no answer")")
    }
    return value
  }
}

/// labwc, with `labwc.py` for windows and pointer, wtype for keys and grim for pictures.
///
/// labwc does not report the positions of windows, so `labwc.xml` keeps the program's window maximised.
struct LabwcWindowSystem: ScriptedCompositor {
  /// The size of the screen, which is wlroots' default and cannot be configured in labwc.
  static let size = (width: 1280, height: 720)

  let desktop: VirtualDesktop

  func press(_ keys: [String]) async throws { try await desktop.pressByWtype(keys) }

  func picture(of window: UInt?) async throws -> Screenshot { try await desktop.pictureByGrim(of: window) }
}

/// KDE's compositor in a window on an X server; that server takes the screenshots, and `kwin.py` does everything else.
struct KWinWindowSystem: ScriptedCompositor {
  let desktop: VirtualDesktop

  func press(_ keys: [String]) async throws { try order("press " + keys.joined(separator: " ")) }

  func picture(of window: UInt?) async throws -> Screenshot {
    guard let display = desktop.x11Server?.display else { throw TestSupportError("no X server") }
    return try display.picture(in: window == nil ? nil : try await frame(of: window ?? 0))
  }
}
