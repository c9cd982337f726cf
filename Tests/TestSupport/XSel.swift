/// The program `xsel`, another real client, whose requests differ from those of `xclip`.
public enum XSel {
  /// Copies a text, and returns once xsel owns the clipboard.
  @discardableResult
  public static func copy(_ text: String, on desktop: VirtualDesktop) async throws -> Program {
    let xsel = try desktop.start(["xsel", "--clipboard", "--input", "--nodetach"], input: Array(text.utf8))
    try await waitUntil("xsel owning the clipboard", every: .milliseconds(20)) {
      if let exit = xsel.exit { throw TestSupportError("xsel: \(exit)\n\(xsel.errors)") }
      return try await paste(on: desktop) == Array(text.utf8)
    }
    return xsel
  }

  /// Returns the clipboard's text, byte for byte; empty if it has none.
  public static func paste(
    on desktop: VirtualDesktop, within limit: Duration = generousLimit
  ) async throws -> [UInt8] {
    try await desktop.run(["xsel", "--clipboard", "--output"], within: limit).output
  }
}
