/// An owner of the clipboard that offers exactly what it is told to, and says what it was asked for.
///
///     let owner = try await ClipboardOwner.start(offering: .text("hello"), .html("<b>hello</b>"), on: desktop)
///     #expect(owner.contentRequests.isEmpty)
public struct ClipboardOwner: Sendable {
  /// The process that owns the clipboard; it ends once another program takes that.
  public let program: Program
  /// How often GNOME Shell has asked: once for each owner with a text, which it keeps for when that has gone.
  private let requestsOfShell: Int

  /// Takes the clipboard, and returns once it is the owner.
  public static func start(
    offering offers: Offer..., on desktop: VirtualDesktop
  ) async throws -> ClipboardOwner {
    let arguments = offers.flatMap { offer in
      let digits = offer.bytes?.map { String(256 | Int($0), radix: 16).dropFirst() }.joined()
      let value = digits.map { ":" + $0 } ?? ""
      return offer.targets.map { $0 + value }
    }
    let script = desktop.kind == .x11 ? "owner.py" : "wayland_owner.py"
    guard desktop.kind == .gnome else { return try await start(script, arguments, on: desktop) }
    return try await desktop.keepingActiveWindow {
      let isKept = offers.contains { $0.targets.contains("text/plain") }
      return try await start(script, arguments, on: desktop, isKept: isKept)
    }
  }

  /// Takes the clipboard to misbehave: in the way that a class of `bad_owner.py` or `wayland_bad_owner.py` names.
  public static func start(
    behaving behaviour: String, on desktop: VirtualDesktop
  ) async throws -> ClipboardOwner {
    try await start(desktop.kind == .x11 ? "bad_owner.py" : "wayland_bad_owner.py", [behaviour], on: desktop)
  }

  private static func start(
    _ script: String, _ arguments: [String], on desktop: VirtualDesktop, isKept: Bool = false
  ) async throws -> ClipboardOwner {
    let program = try desktop.start(Fixture.python(script, arguments))
    let owner = ClipboardOwner(program: program, requestsOfShell: isKept ? 1 : 0)
    try await waitUntil("the owner of the clipboard", every: .milliseconds(10)) {
      if owner.lines.first == "ready" { return owner.lines.count > owner.requestsOfShell }
      if let exit = program.exit { throw TestSupportError("the owner: \(exit)\n\(program.errors)") }
      // GNOME gives a new window the focus only if it thinks that the user wants that.
      if let window = try await desktop.window(ofClass: "clipboard-owner") {
        // The window is not waited for: it goes as soon as it has had the focus.
        try await desktop.windowSystem.activate(window.id)
      }
      return false
    }
    return owner
  }

  /// The target, or type, of each request so far, in their order, TARGETS included.
  public var requests: [String] { Array(lines.dropFirst(1 + requestsOfShell)) }

  /// The requests for what the clipboard holds, leaving out those that only ask what there is.
  ///
  /// On X11 GTK itself asks for TARGETS, and the hint of a password manager says nothing about its secret.
  public var contentRequests: [String] {
    let questions = ["TARGETS", "TIMESTAMP", "MULTIPLE", "SAVE_TARGETS", "x-kde-passwordManagerHint"]
    return requests.filter { !questions.contains($0) }
  }

  /// All that it said; after `ready`, what it was asked for and how it went.
  public var lines: [String] { program.lines }
}
