import Foundation

/// Wayland on sway, with sway's own commands for windows, wtype for keys and grim for pictures.
struct SwayWindowSystem: Compositor {
  let desktop: VirtualDesktop

  func press(_ keys: [String]) async throws { try await desktop.pressByWtype(keys) }

  func moveMouse(x: Int, y: Int) async throws { try await command("seat seat0 cursor set \(x) \(y)") }

  func click(button: Int) async throws {
    try await command("seat seat0 cursor press button\(button)")
    try await Task.sleep(for: .milliseconds(120))
    try await command("seat seat0 cursor release button\(button)")
  }

  func windows() async throws -> [CompositorWindow] {
    let tree = try JSONDecoder().decode(Node.self, from: try desktop.sway.ask(.tree))
    return tree.withDescendants.filter { $0.pid != nil }.map {
      CompositorWindow(
        id: $0.id, title: $0.name ?? "", applicationID: $0.app_id ?? "", isVisible: $0.visible == true,
        isActive: $0.focused, frame: $0.rect)
    }
  }

  func activate(_ window: UInt) async throws { try await command("[con_id=\(window)] focus") }

  /// Moves the window to the scratchpad, because sway cannot minimise windows.
  func minimise(_ window: UInt) async throws { try await command("[con_id=\(window)] move scratchpad") }

  func close(_ window: UInt) async throws { try await command("[con_id=\(window)] kill") }

  func picture(of window: UInt?) async throws -> Screenshot { try await desktop.pictureByGrim(of: window) }

  /// The number of the focused workspace.
  func workspace() throws -> Int? {
    let workspaces = try JSONDecoder().decode([Workspace].self, from: try desktop.sway.ask(.workspaces))
    return workspaces.first(where: \.focused)?.num
  }

  // MARK: Tools

  /// Runs a sway command, which must succeed.
  func command(_ words: String) async throws {
    let answer = try JSONDecoder().decode([Answer].self, from: try desktop.sway.ask(.command, words))
    guard answer.allSatisfy(\.success) else { throw TestSupportError("sway, \(words): \(answer)") }
  }
}

/// sway's answer to a command, see sway-ipc(7).
private struct Answer: Decodable {
  let success: Bool
  let error: String?
}

/// A workspace of sway, see sway-ipc(7).
private struct Workspace: Decodable {
  let num: Int
  let focused: Bool
}

/// A node of sway's tree, see sway-ipc(7); it is a window if it has a process.
private struct Node: Decodable {
  let id: UInt
  let name: String?
  let app_id: String?
  let pid: Int?
  let focused: Bool
  let visible: Bool?
  let rect: Rectangle
  let nodes, floating_nodes: [Node]

  var withDescendants: [Node] { [self] + (nodes + floating_nodes).flatMap(\.withDescendants) }
}
