/// The program `xclip`: a real client that copies to the clipboard and pastes from it.
public enum XClip {
  /// Copies a text, and returns once xclip owns the clipboard; the program lives for as long as it does.
  @discardableResult
  public static func copy(
    _ text: String, target: String? = nil, on desktop: VirtualDesktop
  ) async throws -> Program {
    try await copy(Array(text.utf8), target: target, on: desktop)
  }

  /// Copies bytes as they are; without a target as text, in every form that xclip knows.
  @discardableResult
  public static func copy(
    _ bytes: [UInt8], target: String? = nil, on desktop: VirtualDesktop
  ) async throws -> Program {
    // "-quiet" keeps it in the foreground: without it, it goes on in a process that nobody knows.
    let xclip = try desktop.start(
      ["xclip", "-in", "-quiet", "-selection", "clipboard"] + option(target), input: bytes)
    try await waitUntil("xclip owning the clipboard", every: .milliseconds(5)) {
      if let exit = xclip.exit { throw TestSupportError("xclip: \(exit)\n\(xclip.errors)") }
      // xclip says that it waits just before it flushes its claim; once it sleeps, the server has that.
      return xclip.errors.contains("Waiting for selection request number") && xclip.isSleeping
    }
    return xclip
  }

  /// The clipboard's content, byte for byte; nil if it is empty or does not offer the target.
  public static func paste(
    target: String = "UTF8_STRING", on desktop: VirtualDesktop, within limit: Duration = generousLimit
  ) async throws -> [UInt8]? {
    let result = try await desktop.run(
      ["xclip", "-out", "-selection", "clipboard"] + option(target), within: limit)
    return result.exit == .code(0) ? result.output : nil
  }

  /// The targets that the owner of the clipboard offers; none if there is no owner.
  public static func targets(on desktop: VirtualDesktop) async throws -> [String] {
    let answer = try await paste(target: "TARGETS", on: desktop) ?? []
    return String(decoding: answer, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  private static func option(_ target: String?) -> [String] { target.map { ["-target", $0] } ?? [] }
}
