import Foundation
import Synchronization

/// KDE's compositor without a screen, with KDE's portals, and a session bus and a home folder of its own.
///
/// Everything that runs on it ends with `with`, and with the test process.
///
///     try await KWinDesktop.with { desktop in
///       _ = try desktop.start(["wev"])
///       try await desktop.press("ctrl+super+v")
///       print(try await desktop.windows())
///     }
public final class KWinDesktop: Sendable {
  private static let program = "/usr/bin/kwin_wayland"
  private static let socket = "kwin"
  private static let portals = ["org.freedesktop.impl.portal.desktop.kde", "org.freedesktop.portal.Desktop"]

  /// What it is made of and is not installed here; empty if it can be started.
  public static let missing: [String] = ([program] + portals.map(ScratchHome.systemService)).filter {
    !FileManager.default.fileExists(atPath: $0)
  }

  /// What the window is called in which the portal asks the user, as in `windows`.
  public static var question: String { portals[0] }

  /// Whether the portal asks the user before it gives a shortcut, as from KDE 6.4 on.
  public static func asksForShortcuts() throws -> Bool {
    let command = try ScratchHome.command(ofService: portals[0])
    let portal = try Data(contentsOf: URL(fileURLWithPath: command[0]))
    return portal.range(of: Data("GlobalShortcutsDialog.qml".utf8)) != nil
  }

  /// The home folder of all that runs here.
  public let home: ScratchHome

  private let environment: [String: String]

  /// What runs here, in the order of its start.
  private let programs = Mutex<[Program]>([])

  private init() async throws {
    home = try await ScratchHome()
    environment = home.environment.merging([
      "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(home.runtimeDirectory)/bus", "GTK_A11Y": "none",
      "WAYLAND_DISPLAY": Self.socket, "GDK_BACKEND": "wayland", "QT_QPA_PLATFORM": "wayland",
      "XDG_SESSION_TYPE": "wayland", "XDG_CURRENT_DESKTOP": "KDE",
    ]) { $1 }
  }

  /// Runs `body` on a fresh desktop, and ends the desktop however `body` ends.
  public nonisolated(nonsending) static func with(_ body: (KWinDesktop) async throws -> Void) async throws {
    await VirtualDesktop.turns.wait()
    defer { VirtualDesktop.turns.signal() }
    let desktop = try await KWinDesktop()
    do {
      try desktop.installProgram()
      try await desktop.startBus()
      try await desktop.startCompositor()
      for portal in portals { try await desktop.startService(portal) }
      try await body(desktop)
    } catch {
      try await desktop.stop()
      throw error
    }
    try await desktop.stop()
  }

  /// Starts a program here; it ends with the desktop.
  public func start(_ arguments: [String], environment extra: [String: String] = [:]) throws -> Program {
    let program = try Program(arguments, environment: environment.merging(extra) { $1 })
    programs.withLock { $0.append(program) }
    return program
  }

  /// Runs a program here to its end, which must be a good one, and returns what it wrote.
  @discardableResult
  public func run(_ arguments: [String], input: [UInt8] = []) async throws -> String {
    let result = try await Program.run(arguments, environment: environment, input: input)
    guard result.exit == .code(0) else { throw TestSupportError("\(arguments): \(result.errors)") }
    return result.text
  }

  /// Presses and releases keys as a keyboard does: `press("ctrl+super+v")`, `press("Down", "Return")`.
  public func press(_ keys: String...) async throws { try await run(Self.kwin + ["press"] + keys) }

  /// Clicks at a place in the newest window of a program.
  public func click(_ program: String, x: Int, y: Int) async throws {
    try await run(Self.kwin + ["click", program, "\(x)", "\(y)"])
  }

  /// All windows, the oldest first, those that are hidden left out: "active" for the one that has the focus or
  /// "inactive", and its Wayland app id.
  public func windows() async throws -> [String] {
    try await run(Self.kwin + ["windows"]).split(separator: "\n").map(String.init)
  }

  /// Whether KDE has a shortcut for a program that listens.
  ///
  /// KDE 5.27 files it under the name of the program's session with the portal, KDE 6 under its application id; the
  /// end of both is `name`.
  public func holdsShortcut(of name: String) async throws -> Bool {
    let components = try await askForShortcuts("/kglobalaccel", "org.kde.KGlobalAccel.allComponents")
    for path in components.split(separator: "'").map(String.init)
    where path.lowercased().hasSuffix(name) {
      if try await askForShortcuts(path, "org.kde.kglobalaccel.Component.isActive") == "(true,)" {
        return true
      }
    }
    return false
  }

  /// Sets Ctrl+Super+V for an action, as KDE's System Settings do.
  public func setShortcut(of program: String, action: String) async throws {
    let (control, meta) = (0x0400_0000, 0x1000_0000)
    let key = control | meta | Int(UInt8(ascii: "V"))
    _ = try await askForShortcuts(
      "/kglobalaccel", "org.kde.KGlobalAccel.setForeignShortcutKeys",
      "['\(program)', '\(action)', '', '']", "[([\(key), 0, 0, 0],)]")
  }

  private func askForShortcuts(
    _ path: String, _ method: String, _ arguments: String...
  ) async throws -> String {
    try await run(
      [
        "gdbus", "call", "--session", "--dest=org.kde.kglobalaccel", "--object-path=\(path)",
        "--method=\(method)",
      ] + arguments)
  }

  /// Copies a text in another program, wl-copy, and returns once that owns the clipboard.
  public func copy(_ text: String) async throws {
    try await run(["wl-copy", "--type", "text/plain"], input: Array(text.utf8))
  }

  /// What another program, wl-paste, pastes as text.
  public func paste() async throws -> String { try await run(["wl-paste", "--no-newline"]) }

  // MARK: - Starting and ending

  private static let kwin = ["/usr/bin/python3", Fixture.path("kwin.py")]

  /// Makes the program an installed one: from xdg-desktop-portal 1.21 on others get no shortcut.
  private func installProgram() throws {
    let folder = home.dataHome + "/applications"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let entry = "[Desktop Entry]\nType=Application\nName=CopyPasta\nExec=\(CopyPasta.programPath)\n"
    try Data(entry.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(CopyPasta.applicationID).desktop"))
  }

  private func startBus() async throws {
    var bus: [Program] = []
    defer { programs.withLock { $0 += bus } }
    _ = try await VirtualDesktop.startBus(in: home, accessibility: false, servers: &bus)
  }

  /// Starts the compositor, and returns once it takes clients and has keyboard and pointer.
  private func startCompositor() async throws {
    // The file may hold a capability that a container does not grant, and is not run then; a copy holds none. Another
    // program makes it: here, one that is just being started elsewhere could hold the file open, which is not run either.
    let copy = home.path + "/kwin_wayland"
    try await run(["cp", Self.program, copy])
    let size = VirtualDesktop.size
    let compositor = try start(
      [
        copy, "--virtual", "--width", "\(size.width)", "--height", "\(size.height)", "--socket", Self.socket,
        "--no-lockscreen",
      ],
      // No GPU is needed, and everybody may press keys and see the windows.
      environment: ["KWIN_COMPOSE": "Q", "KWIN_WAYLAND_NO_PERMISSION_CHECKS": "1"])
    try await waitUntil("kwin_wayland", every: .milliseconds(10)) {
      if let exit = compositor.exit { throw TestSupportError("\(exit)\n\(compositor.errors)") }
      return FileManager.default.fileExists(atPath: home.runtimeDirectory + "/" + Self.socket)
    }
    _ = try await VirtualDesktop.firstLine(of: start(Self.kwin + ["plug"]))
  }

  /// Starts what the session bus would, with the environment that it does not have, and returns once it is there.
  private func startService(_ name: String) async throws {
    // It has warnings of its own, which are not to end it.
    let service = try start(ScratchHome.command(ofService: name), environment: ["G_DEBUG": ""])
    do { try await run(["gdbus", "wait", "--session", "--timeout=20", name]) } catch {
      throw TestSupportError("\(error)\n\(service.errors)")
    }
  }

  /// Ends everything that runs here, the last first, and removes the home folder.
  private func stop() async throws {
    // wl-copy tidies up when the clipboard is emptied, and not when its compositor ends.
    _ = try await start(["wl-copy", "--clear"]).waitForExit(within: .seconds(5))
    for program in programs.withLock({ $0 }).reversed() { try await program.stop() }
    home.remove()
  }
}
