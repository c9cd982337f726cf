import Foundation
import Synchronization

/// A sway without a screen and without Xwayland, with a pointer.
///
/// Each desktop plugs in a keyboard of its own: once another one has pressed keys and gone, sway gives programs no keymap
/// of the first, which ends wev.
final class SwayServer: Sendable {
  /// Servers that are not in use, as fresh ones are.
  private static let idle = Mutex<[SwayServer]>([])

  /// The compositor itself.
  let process: Program
  /// The variables that tell programs of it.
  let environment: [String: String]

  private let home: ScratchHome
  private let pointer: Program
  /// Whether a test has given it a key or a monitor, which it keeps.
  private let isAltered = Atomic(false)

  /// A server for one test alone: one that another test has given back, or a fresh one.
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
    process = try Program(
      try Self.asOtherThanRoot(in: home, folder) + ["sway", "--config", folder + "/config"],
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
      home.remove()
      throw error
    }
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

  /// Notes that this server is for no other test.
  func alter() { isAltered.store(true, ordering: .relaxed) }

  /// Takes the server back from a test that has ended all its programs.
  ///
  /// A server on which anything is left of that test is not lent again.
  func giveBack() async throws {
    guard !isAltered.load(ordering: .relaxed), process.isRunning, pointer.isRunning, try await isEmpty()
    else { return try await stop() }
    Self.idle.withLock { $0.append(self) }
  }

  /// Ends it, with its devices.
  func stop() async throws {
    try await pointer.stop()
    try await process.stop()
    home.remove()
  }

  /// Whether it has a keyboard.
  func hasKeyboard() throws -> Bool {
    String(decoding: try ask(.inputs), as: UTF8.self).contains("\"keyboard\"")
  }

  /// Waits until no window and no keyboard is left, because they go a moment after the program that had them.
  private func isEmpty() async throws -> Bool {
    do {
      try centrePointer()
      return try await eventually(within: .seconds(2), every: .milliseconds(5)) {
        try !hasKeyboard() && !String(decoding: try ask(.tree), as: UTF8.self).contains("\"pid\"")
      }
    } catch {
      // It has gone: the test was about that.
      return false
    }
  }

  private func centrePointer() throws {
    _ = try ask(
      .command, "seat seat0 cursor set \(VirtualDesktop.size.width / 2) \(VirtualDesktop.size.height / 2)")
  }

  /// The questions that sway answers over its socket, by sway-ipc(7).
  enum Question: UInt32 {
    case command = 0
    case tree = 4
    case inputs = 100
  }

  /// Asks sway over its socket; the answer is JSON.
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
