extension VirtualDesktop {
  /// Copies a text in another program, xclip or wl-copy, and returns once that owns the clipboard.
  public func copy(_ text: String) async throws {
    switch kind {
    case .x11: try await XClip.copy(text, on: self)
    case .wayland: try await WLClipboard.copy(Array(text.utf8), on: self)
    }
  }

  /// What another program, xclip or wl-paste, pastes as text; nil where the clipboard has none.
  public func paste() async throws -> [UInt8]? {
    switch kind {
    case .x11: try await XClip.paste(on: self)
    case .wayland: try await WLClipboard.paste(on: self)
    }
  }
}
