import Foundation
import Synchronization

/// A headless sway without Xwayland, with a pointer.
///
/// The keyboard is not part of the server: each desktop plugs in its own. After a second keyboard was used and
/// unplugged, sway does not send programs the keymap of the first one, which crashes wev.
final class SwayServer: Sendable {
  /// Unused servers in their initial state.
  private static let idle = Mutex<[SwayServer]>([])

  /// The compositor.
  let process: Program
  /// The environment variables for its clients.
  let environment: [String: String]

  private let home: ScratchHome
  private let pointer: Program
  /// Whether a test has added a key binding or a workspace, which cannot be removed.
  private let isAltered = Atomic(false)

  /// Returns a server for one test, either an unused one or a new one.
  static func borrow() async throws -> SwayServer {
    while let server = idle.withLock({ $0.popLast() }) { if server.process.isRunning { return server } }
    return try await SwayServer()
  }

  private init() async throws {
    home = try await ScratchHome()
    let folder = home.path + "/sway"
    let ipc = folder + "/ipc"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try FileManager.default.copyItem(atPath: Fixture.path("sway.conf"), toPath: folder + "/config")
    let own = home.environment.merging([
      "XDG_RUNTIME_DIR": folder, "SWAYSOCK": ipc, "WLR_BACKENDS": "headless", "WLR_RENDERER": "pixman",
      "WLR_LIBINPUT_NO_DEVICES": "1",
    ]) { $1 }
    // Let other users pass through the home folder without listing it.
    if geteuid() == 0 { chmod(home.path, 0o711) }
    process = try Program(
      try asOtherThanRoot(owning: folder) + ["sway", "--config", folder + "/config"],
      environment: own, deathSignal: .terminate)
    var pointer: Program?
    do {
      environment = [
        "WAYLAND_DISPLAY": try await VirtualDesktop.firstLine(of: process), "SWAYSOCK": ipc,
        "XDG_CURRENT_DESKTOP": "sway",
      ]
      let plugged = try Program(
        Fixture.python("pointer.py"), environment: home.environment.merging(environment) { $1 })
      pointer = plugged
      _ = try await VirtualDesktop.firstLine(of: plugged)
      self.pointer = plugged
      try centrePointer()
    } catch {
      try await pointer?.stop()
      try await process.stop()
      throw error
    }
  }

  /// Marks the server as unusable for other tests.
  func alter() { isAltered.store(true, ordering: .relaxed) }

  /// Gives the server back for reuse, after a test whose programs have all ended.
  ///
  /// The server is reused only if it is in its initial state, and ended otherwise.
  func giveBack() async throws {
    guard !isAltered.load(ordering: .relaxed), process.isRunning, pointer.isRunning, try await isEmpty()
    else { return try await stop() }
    Self.idle.withLock { $0.append(self) }
  }

  /// Ends the server and its devices.
  func stop() async throws {
    try await pointer.stop()
    try await process.stop()
  }

  /// Whether a keyboard is plugged in.
  func hasKeyboard() throws -> Bool {
    String(decoding: try ask(.inputs), as: UTF8.self).contains("\"keyboard\"")
  }

  /// Waits until no window and no keyboard is left, because they disappear shortly after their program has ended.
  private func isEmpty() async throws -> Bool {
    do {
      try centrePointer()
      return try await eventually(within: .seconds(2), every: .milliseconds(5)) {
        try !hasKeyboard() && !String(decoding: try ask(.tree), as: UTF8.self).contains("\"pid\"")
      }
    } catch {
      // The test has ended the server on purpose.
      return false
    }
  }

  private func centrePointer() throws {
    _ = try ask(
      .command, "seat seat0 cursor set \(VirtualDesktop.size.width / 2) \(VirtualDesktop.size.height / 2)")
  }

  /// Message types of sway-ipc(7).
  enum Question: UInt32 {
    case command = 0
    case workspaces = 1
    case tree = 4
    case inputs = 100
  }

  /// Sends a message to sway; returns JSON.
  func ask(_ question: Question, _ words: String = "") throws -> Data {
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

/// Returns the command prefix that runs a compositor as another user, who owns `folder`, if the tests run as root.
///
/// sway and Hyprland refuse to run as root. Clients that run as root can still connect to them.
public func asOtherThanRoot(owning folder: String) throws -> [String] {
  guard geteuid() == 0 else { return [] }
  guard let nobody = getpwnam("nobody")?.pointee else { throw TestSupportError("there is no user nobody") }
  chown(folder, nobody.pw_uid, nobody.pw_gid)
  // Set the death signal again, because changing the user clears it.
  return [
    "setpriv", "--reuid=\(nobody.pw_uid)", "--regid=\(nobody.pw_gid)", "--clear-groups", "--pdeathsig",
    "TERM", "--",
  ]
}
