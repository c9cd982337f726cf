import Foundation

extension VirtualDesktop {
  /// The visible window with exactly this title; nil where there is none.
  public func window(titled title: String) async throws -> DesktopWindow? {
    try await firstWindow("--name", "^\(NSRegularExpression.escapedPattern(for: title))$")
  }

  /// The visible window of exactly this WM_CLASS class; nil where there is none.
  public func window(ofClass name: String) async throws -> DesktopWindow? {
    try await firstWindow("--class", "^\(NSRegularExpression.escapedPattern(for: name))$")
  }

  /// The window that has the focus; nil where none has.
  public func activeWindow() async throws -> DesktopWindow? {
    // "_NET_ACTIVE_WINDOW: window id # 0x600007", or 0x0 where no window has the focus.
    let answer = try await run(["xprop", "-root", "-notype", "_NET_ACTIVE_WINDOW"]).text
    guard let number = answer.split(separator: " 0x").last, let id = UInt(number, radix: 16), id != 0 else {
      return nil
    }
    return DesktopWindow(id: id, desktop: self)
  }

  /// Opens a plain window of another program, which takes the focus and does nothing with it.
  public func openOtherWindow(titled title: String = "Another program") async throws -> DesktopWindow {
    _ = try start(["xev", "-name", title, "-geometry", "300x200+940+40"])
    let window = try await waitFor("window \(title)") { try await self.window(titled: title) }
    try await window.activate()
    return window
  }

  private func firstWindow(_ criterion: String...) async throws -> DesktopWindow? {
    // xdotool ends with 1 where it finds nothing, and where a window went away while it looked.
    let answer = try await run(["xdotool", "search", "--onlyvisible"] + criterion)
    guard let id = answer.text.split(separator: "\n").first.flatMap({ UInt($0) }) else { return nil }
    return DesktopWindow(id: id, desktop: self)
  }
}
