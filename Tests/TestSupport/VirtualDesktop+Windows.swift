extension VirtualDesktop {
  /// The visible window with exactly this title; nil if there is none.
  public func window(titled title: String) async throws -> DesktopWindow? {
    window(try await windowSystem.window(titled: title))
  }

  /// The visible window with exactly this WM_CLASS class or Wayland app id; nil if there is none.
  public func window(ofClass name: String) async throws -> DesktopWindow? {
    window(try await windowSystem.windows(ofClass: name).first)
  }

  /// The number of visible windows with exactly this WM_CLASS class or Wayland app id.
  public func windowCount(ofClass name: String) async throws -> Int {
    try await windowSystem.windows(ofClass: name).count
  }

  /// The open menus, popovers and tooltips, each a window of its own; only on X11.
  public func popups() async throws -> [DesktopWindow] {
    guard kind == .x11 else { return [] }
    return try x11.display.popups().map { DesktopWindow(id: $0, desktop: self) }
  }

  /// The window with the focus; nil if no window has it.
  public func activeWindow() async throws -> DesktopWindow? { window(try await windowSystem.activeWindow()) }

  /// Opens a plain window of another program, which takes the focus and does nothing else.
  @discardableResult
  public func openOtherWindow() async throws -> DesktopWindow {
    let window = DesktopWindow(id: try await windowSystem.openOtherWindow(), desktop: self)
    try await window.activate()
    return window
  }

  private func window(_ id: UInt?) -> DesktopWindow? { id.map { DesktopWindow(id: $0, desktop: self) } }
}
