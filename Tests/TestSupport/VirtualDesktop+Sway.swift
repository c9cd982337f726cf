extension VirtualDesktop {
  /// Plugs in a keyboard, and returns once sway has it.
  func setUpSway() async throws {
    let keyboard = try plugInKeyboard()
    try await waitUntil("a keyboard in sway", every: .milliseconds(10)) {
      if let exit = keyboard.exit { throw TestSupportError("wtype: \(exit)\n\(keyboard.errors)") }
      return try sway.hasKeyboard()
    }
  }

  /// Has a key of sway's own run a command, each time it is pressed, until the desktop ends; as `press` names keys.
  ///
  /// sway tells of the key and the test starts the command: if sway runs as another user, as it does for root, its
  /// own children have no access to the session bus.
  public func bindInSway(_ key: String, to command: [String]) async throws {
    sway.alter()
    // The first event is a tick, which says that it listens.
    let listen = #"swaymsg --raw --monitor --type subscribe '["binding", "tick"]'"#
    let answer = #"{ read -r _; echo ready; while read -r _; do "$@"; done; }"#
    _ = try await Self.firstLine(of: start(["sh", "-c", listen + " | " + answer, "sh"] + command))
    try await SwayWindowSystem(desktop: self).command(
      "bindsym --no-repeat " + key.replacing("super", with: "Mod4") + " nop")
  }

  /// Puts a second monitor to the right of the first one of sway's.
  public func addMonitorInSway() async throws {
    self.sway.alter()
    let sway = SwayWindowSystem(desktop: self)
    try await sway.command("create_output")
    try await sway.command("output HEADLESS-2 resolution 1000x900 position \(Self.size.width) 0")
  }

  /// Has the user work on one of sway's monitors, the first or the second.
  public func useMonitorInSway(_ number: Int) async throws {
    try await SwayWindowSystem(desktop: self).command("focus output HEADLESS-\(number)")
  }

  /// Has sway give the focus to no window of this application that is shown from now on, beside another window.
  public func refuseFocusInSway(to applicationID: String) async throws {
    sway.alter()
    try await SwayWindowSystem(desktop: self).command("no_focus [app_id=\"\(applicationID)\"]")
  }

  var sway: SwayServer {
    guard let swayServer else { preconditionFailure("no sway") }
    return swayServer
  }
}
