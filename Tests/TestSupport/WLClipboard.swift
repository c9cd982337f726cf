/// The programs `wl-copy` and `wl-paste`: real clients of a Wayland clipboard.
public enum WLClipboard {
  /// Copies a text, and returns once wl-copy owns the clipboard; it lives for as long as it does.
  public static func copy(_ text: [UInt8], on desktop: VirtualDesktop) async throws {
    // Told the type, wl-copy does not guess; of text it makes every form. Its parent ends once it has the clipboard.
    try await desktop.run(["wl-copy", "--type", "text/plain"], input: text).succeeded()
  }

  /// The clipboard's content, byte for byte; nil if it is empty or does not offer the type.
  public static func paste(
    type: String = "text/plain;charset=utf-8", on desktop: VirtualDesktop,
    within limit: Duration = generousLimit
  ) async throws -> [UInt8]? {
    let result = try await desktop.run(["wl-paste", "--no-newline", "--type", type], within: limit)
    return result.exit == .code(0) ? result.output : nil
  }

  /// The types that the owner of the clipboard offers; none if there is no owner.
  public static func types(on desktop: VirtualDesktop) async throws -> [String] {
    let result = try await desktop.run(["wl-paste", "--list-types"])
    return result.exit == .code(0) ? result.text.split(separator: "\n").map(String.init) : []
  }

  /// Empties the clipboard, so that a wl-copy that owned it tidies up and ends.
  ///
  /// GNOME 48 and 51 give it no focus after a long press on the touch screen, without which it can do nothing there.
  public static func clear(on desktop: VirtualDesktop) async throws {
    let clearing = try desktop.start(["wl-copy", "--clear"])
    if try await clearing.waitForExit(within: .seconds(5)) == nil { try await clearing.killNow() }
  }
}
