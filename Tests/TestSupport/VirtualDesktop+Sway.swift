extension VirtualDesktop {
  /// Plugs in a keyboard, and returns once sway has it.
  func setUpSway() async throws {
    let keyboard = try plugInKeyboard()
    try await waitUntil("a keyboard in sway", every: .milliseconds(10)) {
      if let exit = keyboard.exit { throw TestSupportError("wtype: \(exit)\n\(keyboard.errors)") }
      return try sway.hasKeyboard()
    }
  }

  /// Binds keys to a command in sway until the desktop ends.
  ///
  /// sway only reports the keys, and a process of the test starts the command. If sway runs as another user, because
  /// the tests run as root, sway's own children cannot access the session bus.
  /// - Parameter key: The keys, with the names of `press`.
  public func bindInSway(_ key: String, to command: [String]) async throws {
    sway.alter()
    // The first event is a tick, which means that the subscription is active.
    let listen = #"swaymsg --raw --monitor --type subscribe '["binding", "tick"]'"#
    let answer = #"{ read -r _; echo ready; while read -r _; do "$@"; done; }"#
    _ = try await Self.firstLine(of: start(["sh", "-c", listen + " | " + answer, "sh"] + command))
    try await SwayWindowSystem(desktop: self).command(
      "bindsym --no-repeat " + key.replacing("super", with: "Mod4") + " nop")
  }

  var sway: SwayServer {
    guard let swayServer else { preconditionFailure("no sway") }
    return swayServer
  }
}
