import Foundation

extension VirtualDesktop {
  /// Starts sway, adds it to `servers`, and returns what tells programs of it.
  static func startSway(_ servers: inout [Program], in home: ScratchHome) async throws -> [String: String] {
    let folder = home.path + "/sway"
    let ipc = folder + "/ipc"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try FileManager.default.copyItem(atPath: Fixture.path("sway.conf"), toPath: folder + "/config")
    let environment = home.environment.merging([
      "XDG_RUNTIME_DIR": folder, "SWAYSOCK": ipc, "WLR_BACKENDS": "headless", "WLR_RENDERER": "pixman",
      "WLR_LIBINPUT_NO_DEVICES": "1",
    ]) { $1 }
    let server = try Program(
      try asOtherThanRoot(in: home, folder) + ["sway", "--config", folder + "/config"],
      environment: environment, deathSignal: .terminate)
    servers.append(server)
    let display = try await firstLine(of: server)
    return ["WAYLAND_DISPLAY": display, "SWAYSOCK": ipc, "XDG_CURRENT_DESKTOP": "sway"]
  }

  /// The words before a command if the tests run as root, whom sway refuses; programs of root's may still
  /// connect to it.
  private static func asOtherThanRoot(in home: ScratchHome, _ folder: String) throws -> [String] {
    guard geteuid() == 0 else { return [] }
    guard let nobody = getpwnam("nobody")?.pointee else { throw TestSupportError("there is no user nobody") }
    chown(folder, nobody.pw_uid, nobody.pw_gid)
    // Others may pass through the home folder, and see nothing of it.
    chmod(home.path, 0o711)
    // A new user takes the death signal away: it is asked for again.
    return [
      "setpriv", "--reuid=\(nobody.pw_uid)", "--regid=\(nobody.pw_gid)", "--clear-groups", "--pdeathsig",
      "TERM", "--",
    ]
  }

  /// Plugs in a keyboard and a pointer, and returns once sway has them.
  func setUpSway() async throws {
    let keyboard = try plugInKeyboard()
    _ = try await Self.firstLine(of: start(Fixture.python("pointer.py")))
    try await waitUntil("a keyboard in sway", every: .milliseconds(10)) {
      if let exit = keyboard.exit { throw TestSupportError("wtype: \(exit)\n\(keyboard.errors)") }
      return String(decoding: try askSway(.inputs), as: UTF8.self).contains("\"keyboard\"")
    }
  }

  /// Has a key of sway's own run a command, each time it is pressed, until the desktop ends; as `press` names keys.
  ///
  /// sway tells of the key and the test starts the command: if sway runs as another user, as it does for root, its
  /// own children have no access to the session bus.
  public func bindInSway(_ key: String, to command: [String]) async throws {
    // The first event is a tick, which says that it listens.
    let listen = #"swaymsg --raw --monitor --type subscribe '["binding", "tick"]'"#
    let answer = #"{ read -r _; echo ready; while read -r _; do "$@"; done; }"#
    _ = try await Self.firstLine(of: start(["sh", "-c", listen + " | " + answer, "sh"] + command))
    try await SwayWindowSystem(desktop: self).command(
      "bindsym --no-repeat " + key.replacing("super", with: "Mod4") + " nop")
  }

  /// Puts a second monitor to the right of the first one of sway's.
  public func addMonitorInSway() async throws {
    let sway = SwayWindowSystem(desktop: self)
    try await sway.command("create_output")
    try await sway.command("output HEADLESS-2 resolution 1000x900 position \(Self.size.width) 0")
  }

  /// Has the user work on one of sway's monitors, the first or the second.
  public func useMonitorInSway(_ number: Int) async throws {
    try await SwayWindowSystem(desktop: self).command("focus output HEADLESS-\(number)")
  }

  /// The questions that sway answers over its socket, by sway-ipc(7).
  enum SwayQuestion: UInt32 {
    case command = 0
    case tree = 4
    case inputs = 100
  }

  /// Asks sway over its socket; the answer is JSON.
  func askSway(_ question: SwayQuestion, _ words: String = "") throws -> Data {
    let stream = try UnixSocket(to: environment["SWAYSOCK"] ?? "")
    var message = Data("i3-ipc".utf8)
    for number in [UInt32(words.utf8.count), question.rawValue] {
      withUnsafeBytes(of: number) { message.append(contentsOf: $0) }
    }
    try stream.send(message + Data(words.utf8))
    let header = try stream.receive(14)
    return try stream.receive(header.dropFirst(6).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) })
  }
}
