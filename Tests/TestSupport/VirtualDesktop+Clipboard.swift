/// The clipboard as other programs use it: xclip on X11, and wl-clipboard on Wayland.
extension VirtualDesktop {
  /// Copies a text with another program, and returns once that program owns the clipboard.
  public func copy(_ text: String) async throws {
    let bytes = Array(text.utf8)
    guard kind != .x11 else { return try await copyByXClip(bytes) }
    // With `--type`, wl-copy does not guess the type; for a text type, it offers all text types. The foreground process
    // ends once wl-copy owns the clipboard.
    _ = try await keepingActiveWindow {
      try await run(["wl-copy", "--type", "text/plain"], input: bytes).succeeded()
    }
  }

  private func copyByXClip(_ bytes: [UInt8]) async throws {
    // "-quiet" keeps xclip in the foreground. Otherwise it would continue in an unknown process.
    let xclip = try start(["xclip", "-in", "-quiet", "-selection", "clipboard"], input: bytes)
    try await waitUntil("xclip owning the clipboard", every: .milliseconds(5)) {
      if let exit = xclip.exit { throw TestSupportError("xclip: \(exit)\n\(xclip.errors)") }
      // xclip prints this message just before it flushes its request for the selection. Once it sleeps, the server
      // has the request.
      return xclip.errors.contains("Waiting for selection request number") && xclip.isSleeping
    }
  }

  /// Pastes with another program, byte for byte; returns nil if the clipboard has no text.
  ///
  /// On GNOME the shell itself pastes. wl-paste would take the focus, and could so prevent a copy that CopyPasta is about
  /// to make.
  public func paste() async throws -> [UInt8]? {
    guard kind != .gnome else { return try await pasteInGnomeShell() }
    let command =
      kind == .x11
      ? ["xclip", "-out", "-selection", "clipboard", "-target", "UTF8_STRING"]
      : ["wl-paste", "--no-newline", "--type", "text/plain;charset=utf-8"]
    let result = try await run(command)
    return result.exit == .code(0) ? result.output : nil
  }

  /// Empties the clipboard of a compositor, so that a wl-copy that owns it ends and cleans up.
  ///
  /// Ignores failures: after a long press on the touch screen, GNOME 48 and 51 do not give wl-copy the focus, without
  /// which it cannot access the clipboard there.
  func clearClipboard() async throws {
    let clearing = try start(["wl-copy", "--clear"])
    if try await clearing.waitForExit(within: .seconds(5)) == nil { try await clearing.killNow() }
  }

  /// Runs `body`, and on GNOME returns once the window that was active before is active again.
  ///
  /// On GNOME only the active window can use the clipboard, so wl-clipboard opens a window for a moment.
  nonisolated(nonsending) func keepingActiveWindow<Value>(
    _ body: () async throws -> Value
  ) async throws -> Value {
    guard kind == .gnome else { return try await body() }
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
