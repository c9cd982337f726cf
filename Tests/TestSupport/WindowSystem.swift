/// Input, windows and pictures, implemented for each kind of desktop.
protocol WindowSystem: Sendable {
  var desktop: VirtualDesktop { get }

  /// Presses and releases these keys, such as `ctrl+c`, one after the other.
  func press(_ keys: [String]) async throws
  func moveMouse(x: Int, y: Int) async throws
  /// Clicks at the pointer's position.
  func click(button: Int) async throws

  /// The id of the visible window with this title.
  func window(titled title: String) async throws -> UInt?
  /// The ids of the visible windows of this class.
  func windows(ofClass name: String) async throws -> [UInt]
  /// The id of the window with the focus.
  func activeWindow() async throws -> UInt?
  func isVisible(_ window: UInt) async throws -> Bool
  func title(of window: UInt) async throws -> String
  /// A window's rectangle on the screen, without the window manager's frame.
  func frame(of window: UInt) async throws -> Rectangle
  func activate(_ window: UInt) async throws
  func minimise(_ window: UInt) async throws
  /// Asks a window to close.
  func close(_ window: UInt) async throws
  /// Opens a window of another program, which takes the focus and does nothing else; returns its id.
  func openOtherWindow() async throws -> UInt

  /// A picture of a window, or of the whole screen.
  func picture(of window: UInt?) async throws -> Screenshot
}

/// A compositor that reports all its windows together.
protocol Compositor: WindowSystem {
  /// All windows, including minimised ones.
  func windows() async throws -> [CompositorWindow]
}

/// A window as a compositor reports it.
struct CompositorWindow: Decodable {
  let id: UInt
  let title, applicationID: String
  let isVisible, isActive: Bool
  /// Its rectangle without the shadow; nil if the compositor does not report it.
  let frame: Rectangle?
}

extension Compositor {
  func window(titled title: String) async throws -> UInt? {
    try await windows().first { $0.title == title && $0.isVisible }?.id
  }

  func windows(ofClass name: String) async throws -> [UInt] {
    try await windows().filter { $0.applicationID == name && $0.isVisible }.map(\.id)
  }

  func activeWindow() async throws -> UInt? { try await windows().first(where: \.isActive)?.id }

  func isVisible(_ window: UInt) async throws -> Bool { try await self.window(window)?.isVisible == true }

  func title(of window: UInt) async throws -> String { try await self.window(window)?.title ?? "" }

  func frame(of window: UInt) async throws -> Rectangle {
    guard let frame = try await self.window(window)?.frame else {
      throw TestSupportError("window \(window) has gone, or may be anywhere")
    }
    return frame
  }

  private func window(_ id: UInt) async throws -> CompositorWindow? {
    try await windows().first { $0.id == id }
  }

  /// Opens wev, whose title cannot be set.
  func openOtherWindow() async throws -> UInt {
    let before = try await windows(ofClass: "wev")
    _ = try desktop.start(["wev"])
    return try await waitFor("a window of wev") {
      try await windows(ofClass: "wev").first { !before.contains($0) }
    }
  }
}

extension VirtualDesktop {
  var windowSystem: any WindowSystem {
    switch kind {
    case .x11: x11
    case .wayland: SwayWindowSystem(desktop: self)
    case .gnome: GnomeWindowSystem(desktop: self)
    case .labwc: LabwcWindowSystem(desktop: self)
    case .kde: KWinWindowSystem(desktop: self)
    }
  }

  var x11: X11WindowSystem {
    guard let x11Server, kind == .x11 else { preconditionFailure("no X11 desktop") }
    return X11WindowSystem(desktop: self, display: x11Server.display)
  }
}
