/// The programs `wl-copy` and `wl-paste`, real clients of the Wayland clipboard.
public enum WLClipboard {
  /// Copies a text, and returns once wl-copy owns the clipboard; wl-copy runs while it owns the clipboard.
  public static func copy(_ text: [UInt8], on desktop: VirtualDesktop) async throws {
    // With `--type`, wl-copy does not guess the type; for a text type, it offers all text types. The foreground process
    // ends once wl-copy owns the clipboard.
    try await desktop.run(["wl-copy", "--type", "text/plain"], input: text).succeeded()
  }

  /// Returns the clipboard's content, byte for byte; nil if it is empty or not a text.
  public static func paste(
    on desktop: VirtualDesktop, within limit: Duration = generousLimit
  ) async throws -> [UInt8]? {
    let result = try await desktop.run(
      ["wl-paste", "--no-newline", "--type", "text/plain;charset=utf-8"], within: limit)
    return result.exit == .code(0) ? result.output : nil
  }

  /// Empties the clipboard, so that a wl-copy that owns it ends and cleans up.
  ///
  /// Ignores failures: after a long press on the touch screen, GNOME 48 and 51 do not give wl-copy the focus, without
  /// which it cannot access the clipboard there.
  public static func clear(on desktop: VirtualDesktop) async throws {
    let clearing = try desktop.start(["wl-copy", "--clear"])
    if try await clearing.waitForExit(within: .seconds(5)) == nil { try await clearing.killNow() }
  }
}
