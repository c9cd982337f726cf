/// A selection owner that offers exactly the given contents and logs the requests for them.
///
///     let owner = try await ClipboardOwner.start(offering: .text("hello"), .html("<b>hello</b>"), on: desktop)
///     #expect(owner.contentRequests.isEmpty)
public struct ClipboardOwner: Sendable {
  /// The process that owns the clipboard; it ends when another program takes the clipboard.
  public let program: Program
  /// The number of requests by GNOME Shell, which reads each text once to keep it after the owner has ended.
  private let requestsOfShell: Int

  /// Starts an owner, and returns once it owns the clipboard.
  public static func start(
    offering offers: Offer..., on desktop: VirtualDesktop
  ) async throws -> ClipboardOwner {
    let contents = offers.flatMap { offer in
      let digits = offer.bytes.map { String(256 | Int($0), radix: 16).dropFirst() }.joined()
      return offer.targets.map { "\($0):\(digits)" }
    }
    guard desktop.kind == .gnome else { return try await start(["Offers"] + contents, on: desktop) }
    return try await desktop.keepingActiveWindow {
      let isKept = offers.contains { $0.targets.contains("text/plain") }
      return try await start(["Offers"] + contents, on: desktop, isKept: isKept)
    }
  }

  /// Starts an owner that misbehaves.
  ///
  /// - Parameter behaviour: A name in the table of `x11_owner.py`, `wayland_owner.py` or both (`owners.py`).
  public static func start(
    behaving behaviour: String, on desktop: VirtualDesktop
  ) async throws -> ClipboardOwner {
    try await start([behaviour], on: desktop)
  }

  private static func start(
    _ arguments: [String], on desktop: VirtualDesktop, isKept: Bool = false
  ) async throws -> ClipboardOwner {
    let script = desktop.kind == .x11 ? "x11_owner.py" : "wayland_owner.py"
    let program = try desktop.start(Fixture.python(script, arguments))
    let owner = ClipboardOwner(program: program, requestsOfShell: isKept ? 1 : 0)
    try await waitUntil("the owner of the clipboard", every: .milliseconds(10)) {
      if owner.lines.first == "ready" { return owner.lines.count > owner.requestsOfShell }
      if let exit = program.exit { throw TestSupportError("the owner: \(exit)\n\(program.errors)") }
      // Activate the owner's window, because GNOME does not give the focus to every new window.
      if let window = try await desktop.window(ofClass: "clipboard-owner") {
        // Do not wait until the window is active, because it closes as soon as it gets the focus.
        try await desktop.windowSystem.activate(window.id)
      }
      return false
    }
    return owner
  }

  /// The target or type of each request so far, in order, including TARGETS.
  public var requests: [String] { Array(lines.dropFirst(1 + requestsOfShell)) }

  /// The requests for content, without those for metadata.
  ///
  /// GTK itself requests TARGETS on X11, and a password manager's hint does not contain the secret.
  public var contentRequests: [String] {
    let metadata = ["TARGETS", "TIMESTAMP", "MULTIPLE", "SAVE_TARGETS", "x-kde-passwordManagerHint"]
    return requests.filter { !metadata.contains($0) }
  }

  /// All lines of its output: `ready`, then the requests and other events.
  public var lines: [String] { program.lines }
}
