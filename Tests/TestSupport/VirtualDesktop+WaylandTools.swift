/// The programs that wlroots' protocols have made the usual ones, on sway and others.
extension VirtualDesktop {
  /// As `press` names keys.
  func pressByWtype(_ keys: [String]) async throws {
    for key in keys {
      let parts = key.split(separator: "+").map { $0 == "super" ? "logo" : String($0) }
      let modifiers = parts.dropLast()
      try await wtype(
        modifiers.flatMap { ["-M", $0] } + ["-k", parts.last ?? key] + modifiers.flatMap { ["-m", $0] })
    }
  }

  func typeByWtype(_ text: String) async throws { try await wtype(["-d", "5", "--", text]) }

  private func wtype(_ arguments: [String]) async throws {
    let result = try await run(["wtype"] + arguments)
    guard result.exit == .code(0) else { throw TestSupportError("wtype \(arguments): \(result.errors)") }
  }

  /// Plugs in a keyboard, which stays until the desktop ends: no window is ever active where there is none.
  func plugInKeyboard() throws -> Program {
    // It is there until it has slept for these milliseconds.
    try start(["wtype", "-s", "1000000000"])
  }

  /// A picture of a window, or of the whole screen.
  func pictureByGrim(of window: UInt?) async throws -> Screenshot {
    var arguments = ["grim", "-t", "ppm"]
    if let window {
      let part = try await windowSystem.frame(of: window)
      arguments += ["-g", "\(part.x),\(part.y) \(part.width)x\(part.height)"]
    }
    let result = try await run(arguments + ["-"])
    guard result.exit == .code(0) else { throw TestSupportError("grim: \(result.errors)") }
    return try Screenshot(ppm: result.output)
  }
}
