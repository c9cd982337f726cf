extension VirtualDesktop {
  /// Copies a text with another program, xclip or wl-copy, and returns once that program owns the clipboard.
  public func copy(_ text: String) async throws {
    switch kind {
    case .x11: try await XClip.copy(text, on: self)
    case .wayland, .labwc, .kde: try await WLClipboard.copy(Array(text.utf8), on: self)
    case .gnome: try await keepingActiveWindow { try await WLClipboard.copy(Array(text.utf8), on: self) }
    }
  }

  /// Pastes with another program, xclip or wl-paste; returns nil if the clipboard has no text.
  public func paste() async throws -> [UInt8]? {
    switch kind {
    case .x11: try await XClip.paste(on: self)
    case .wayland, .labwc, .kde: try await WLClipboard.paste(on: self)
    case .gnome: try await keepingActiveWindow { try await WLClipboard.paste(on: self) }
    }
  }

  /// Runs `body`, and returns once the window that was active before is active again.
  ///
  /// On GNOME only the active window can use the clipboard, so wl-clipboard opens a window for a moment.
  nonisolated(nonsending) func keepingActiveWindow<Value>(
    _ body: () async throws -> Value
  ) async throws -> Value {
    let before = try await windowSystem.activeWindow()
    let value = try await body()
    try await waitUntil("the window active again, or gone") {
      if try await windowSystem.activeWindow() == before { return true }
      guard let before else { return false }
      return try await !windowSystem.isVisible(before)
    }
    return value
  }
}
