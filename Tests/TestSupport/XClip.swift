/// The program `xclip`, a real client of the X11 clipboard.
public enum XClip {
  /// Copies a text, and returns once xclip owns the clipboard; xclip runs while it owns the clipboard.
  @discardableResult
  public static func copy(
    _ text: String, target: String? = nil, on desktop: VirtualDesktop
  ) async throws -> Program {
    try await copy(Array(text.utf8), target: target, on: desktop)
  }

  /// Copies bytes unchanged, and offers them as `target` or, if that is nil, as all of xclip's text targets.
  @discardableResult
  public static func copy(
    _ bytes: [UInt8], target: String? = nil, on desktop: VirtualDesktop
  ) async throws -> Program {
    // "-quiet" keeps xclip in the foreground. Otherwise it would continue in an unknown process.
    let xclip = try desktop.start(
      ["xclip", "-in", "-quiet", "-selection", "clipboard"] + (target.map { ["-target", $0] } ?? []),
      input: bytes)
    try await waitUntil("xclip owning the clipboard", every: .milliseconds(5)) {
      if let exit = xclip.exit { throw TestSupportError("xclip: \(exit)\n\(xclip.errors)") }
      // xclip prints this message just before it flushes its request for the selection. Once it sleeps, the server
      // has the request.
      return xclip.errors.contains("Waiting for selection request number") && xclip.isSleeping
    }
    return xclip
  }

  /// Returns the clipboard's content, byte for byte; nil if it is empty or not a text.
  public static func paste(
    on desktop: VirtualDesktop, within limit: Duration = generousLimit
  ) async throws -> [UInt8]? {
    let result = try await desktop.run(
      ["xclip", "-out", "-selection", "clipboard", "-target", "UTF8_STRING"], within: limit)
    return result.exit == .code(0) ? result.output : nil
  }
}
