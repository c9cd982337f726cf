import Foundation

/// Wayland, by sway's own commands, wtype for the keys, and grim for the pictures.
struct SwayWindowSystem: WindowSystem {
  let desktop: VirtualDesktop

  func press(_ keys: [String]) async throws { try await desktop.pressByWtype(keys) }

  func type(_ text: String) async throws { try await desktop.typeByWtype(text) }

  func moveMouse(x: Int, y: Int) async throws { try await command("seat seat0 cursor set \(x) \(y)") }

  func click(button: Int, times: Int) async throws {
    for _ in 1...times {
      try await command("seat seat0 cursor press button\(button)")
      try await command("seat seat0 cursor release button\(button)")
    }
  }

  // MARK: Windows

  func window(titled title: String) async throws -> UInt? {
    try await windows().first { $0.name == title && $0.visible == true }?.id
  }

  func windows(ofClass name: String) async throws -> [UInt] {
    try await windows().filter { $0.app_id == name && $0.visible == true }.map(\.id)
  }

  func activeWindow() async throws -> UInt? { try await windows().first(where: \.focused)?.id }

  func isVisible(_ window: UInt) async throws -> Bool { try await node(window)?.visible == true }

  func title(of window: UInt) async throws -> String { try await node(window)?.name ?? "" }

  func frame(of window: UInt) async throws -> Rectangle {
    guard let rectangle = try await node(window)?.rect else { throw TestSupportError("no window \(window)") }
    return Rectangle(x: rectangle.x, y: rectangle.y, width: rectangle.width, height: rectangle.height)
  }

  func activate(_ window: UInt) async throws { try await command("[con_id=\(window)] focus") }

  /// The nearest that sway has: the window leaves the screen and the focus.
  func minimise(_ window: UInt) async throws { try await command("[con_id=\(window)] move scratchpad") }

  func close(_ window: UInt) async throws { try await command("[con_id=\(window)] kill") }

  func picture(of window: UInt?) async throws -> Screenshot {
    try await desktop.pictureByGrim(of: window)
  }

  // MARK: Tools

  /// Runs one of sway's commands, which must succeed.
  func command(_ words: String) async throws {
    let answer = try JSONDecoder().decode([Answer].self, from: try desktop.askSway(.command, words))
    guard answer.allSatisfy(\.success) else { throw TestSupportError("sway, \(words): \(answer)") }
  }

  private func windows() async throws -> [Node] {
    try JSONDecoder().decode(Node.self, from: try desktop.askSway(.tree)).withDescendants.filter {
      $0.pid != nil
    }
  }

  private func node(_ window: UInt) async throws -> Node? {
    try await windows().first { $0.id == window }
  }
}

/// What sway says of a command, by sway-ipc(7).
private struct Answer: Decodable {
  let success: Bool
  let error: String?
}

/// An entry of sway's tree, by sway-ipc(7); it is a window if it has a process.
private struct Node: Decodable {
  struct Rect: Decodable { let x, y, width, height: Int }

  let id: UInt
  let name: String?
  let app_id: String?
  let pid: Int?
  let focused: Bool
  let visible: Bool?
  let rect: Rect
  let nodes, floating_nodes: [Node]

  var withDescendants: [Node] { [self] + (nodes + floating_nodes).flatMap(\.withDescendants) }
}
