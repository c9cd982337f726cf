/// The programs that wlroots' protocols have made the usual ones, on sway and others.
extension VirtualDesktop {
  /// As `press` names keys.
  func pressByWtype(_ keys: [String]) async throws {
    for key in keys {
      let parts = key.split(separator: "+").map { $0 == "super" ? "logo" : String($0) }
      let modifiers = parts.dropLast()
      let (down, up) = (modifiers.flatMap { ["-M", $0] }, modifiers.flatMap { ["-m", $0] })
      try await run(["wtype"] + down + ["-k", parts.last ?? key] + up).succeeded()
    }
  }

  func typeByWtype(_ text: String) async throws {
    try await run(["wtype", "-d", "5", "--", text]).succeeded()
  }

  /// Plugs in a keyboard, which stays until the desktop ends: no window is ever active where there is none.
  func plugInKeyboard() throws -> Program {
    // The keyboard is there until wtype has slept for these milliseconds.
    try start(["wtype", "-s", "1000000000"])
  }

  /// A picture of a window, or of the whole screen.
  func pictureByGrim(of window: UInt?) async throws -> Screenshot {
    var arguments = ["grim", "-t", "ppm"]
    if let window {
      let part = try await windowSystem.frame(of: window)
      arguments += ["-g", "\(part.x),\(part.y) \(part.width)x\(part.height)"]
    }
    return try Screenshot(ppm: try await run(arguments + ["-"]).succeeded().output)
  }
}
