/// The program `xsel`: a second real client, which asks in other ways than `xclip`.
public enum XSel {
  /// Copies a text, and returns once xsel runs as the owner of the clipboard.
  @discardableResult
  public static func copy(_ text: String, on desktop: VirtualDesktop) async throws -> Program {
    let xsel = try desktop.start(["xsel", "--clipboard", "--input", "--nodetach"], input: Array(text.utf8))
    try await waitUntil("xsel owning the clipboard", every: .milliseconds(20)) {
      if let exit = xsel.exit { throw TestSupportError("xsel: \(exit)\n\(xsel.errors)") }
      return try await paste(on: desktop) == Array(text.utf8)
    }
    return xsel
  }

  /// The clipboard's text, byte for byte; empty if it holds none.
  public static func paste(
    on desktop: VirtualDesktop, within limit: Duration = generousLimit
  ) async throws -> [UInt8] {
    try await desktop.run(["xsel", "--clipboard", "--output"], within: limit).output
  }
}
