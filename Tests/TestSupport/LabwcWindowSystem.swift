import Foundation

/// labwc: by `labwc.py` for windows and pointer, wtype for the keys, grim for the pictures.
///
/// It tells nobody where a window is: the program's is kept maximised by `labwc.xml`.
struct LabwcWindowSystem: WindowSystem {
  /// The size of the screen, which wlroots gives it and no configuration of labwc's changes.
  static let size = (width: 1280, height: 720)

  let desktop: VirtualDesktop

  func press(_ keys: [String]) async throws { try await desktop.pressByWtype(keys) }

  func type(_ text: String) async throws { try await desktop.typeByWtype(text) }

  func moveMouse(x: Int, y: Int) async throws { try ask("move \(x) \(y)") }

  func click(button: Int, times: Int) async throws {
    for _ in 1...times { try ask("click \(button)") }
  }

  // MARK: Windows

  func window(titled title: String) async throws -> UInt? {
    try ask("windows").first { $0.title == title && $0.isVisible }?.id
  }

  func windows(ofClass name: String) async throws -> [UInt] {
    try ask("windows").filter { $0.applicationID == name && $0.isVisible }.map(\.id)
  }

  func activeWindow() async throws -> UInt? { try ask("windows").first(where: \.isActive)?.id }

  func isVisible(_ window: UInt) async throws -> Bool { try state(of: window)?.isVisible == true }

  func title(of window: UInt) async throws -> String { try state(of: window)?.title ?? "" }

  func frame(of window: UInt) async throws -> Rectangle {
    guard try state(of: window)?.isMaximised == true
    else { throw TestSupportError("window \(window) may be anywhere") }
    return Rectangle(x: 0, y: 0, width: Self.size.width, height: Self.size.height)
  }

  func activate(_ window: UInt) async throws { try ask("activate \(window)") }

  func minimise(_ window: UInt) async throws { try ask("minimise \(window)") }

  func close(_ window: UInt) async throws { try ask("close \(window)") }

  func picture(of window: UInt?) async throws -> Screenshot {
    try await desktop.pictureByGrim(of: window)
  }

  /// Tells `labwc.py` to do something; it always tells of the windows.
  @discardableResult
  private func ask(_ question: String) throws -> [Window] {
    let stream = try UnixSocket(to: desktop.labwcSocket)
    try stream.send(Data((question + "\n").utf8))
    return try JSONDecoder().decode([Window].self, from: try stream.receiveToEnd())
  }

  private func state(of window: UInt) throws -> Window? { try ask("windows").first { $0.id == window } }
}

/// What `labwc.py` says of a window.
private struct Window: Decodable {
  let id: UInt
  let title, applicationID: String
  let isVisible, isActive, isMaximised: Bool
}
