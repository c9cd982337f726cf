/// The usual tools for compositors with wlroots' protocols, such as sway and labwc.
extension VirtualDesktop {
  /// Presses keys, which are named as in `press`.
  func pressByWtype(_ keys: [String]) async throws {
    for key in keys {
      let parts = key.split(separator: "+").map { $0 == "super" ? "logo" : String($0) }
      let modifiers = parts.dropLast()
      let (down, up) = (modifiers.flatMap { ["-M", $0] }, modifiers.flatMap { ["-m", $0] })
      try await run(["wtype"] + down + ["-k", parts.last ?? key] + up).succeeded()
    }
  }

  /// Plugs in a keyboard until the desktop ends, because no window becomes active without one.
  func plugInKeyboard() throws -> Program {
    // wtype keeps its virtual keyboard plugged in while it sleeps; `-s` takes milliseconds.
    try start(["wtype", "-s", "1000000000"])
  }

  /// Takes a picture of a window, or of the whole screen.
  func pictureByGrim(of window: UInt?) async throws -> Screenshot {
    var arguments = ["grim", "-t", "ppm"]
    if let window {
      let part = try await windowSystem.frame(of: window)
      arguments += ["-g", "\(part.x),\(part.y) \(part.width)x\(part.height)"]
    }
    return try Screenshot(ppm: try await run(arguments + ["-"]).succeeded().output)
  }
}
