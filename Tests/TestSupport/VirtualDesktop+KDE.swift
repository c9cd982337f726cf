import Foundation

extension VirtualDesktop {
  /// Starts KDE's compositor on an X server, adds it to `servers`, and returns the environment variables for its
  /// clients.
  static func startKWin(
    _ servers: inout [Program], in home: ScratchHome, bus: String, on x11Server: X11Server?
  ) async throws -> [String: String] {
    // Run a copy of the file, because the copy has no capabilities: a container may refuse to run a file with a
    // capability that it does not grant. Let "cp" make the copy: if this process wrote it, a child that is just being
    // spawned could still have it open for writing, which also prevents running it.
    let copy = home.path + "/kwin_wayland"
    try await Program.run(["cp", "/usr/bin/kwin_wayland", copy], environment: home.environment).succeeded()
    let environment = home.environment.merging([
      "DISPLAY": x11Server?.name ?? "", "DBUS_SESSION_BUS_ADDRESS": bus, "XDG_CURRENT_DESKTOP": "KDE",
      // Use no GPU, and let every client press keys and see the windows.
      "KWIN_COMPOSE": "Q", "KWIN_WAYLAND_NO_PERMISSION_CHECKS": "1",
    ]) { $1 }
    let compositor = try Program(
      [
        copy, "--x11-display", x11Server?.name ?? "", "--width", "\(size.width)", "--height",
        "\(size.height)", "--socket", "kwin", "--no-lockscreen",
      ], environment: environment, deathSignal: .terminate)
    servers.append(compositor)
    try await waitUntil("kwin_wayland", every: .milliseconds(10)) {
      if let exit = compositor.exit { throw TestSupportError("\(exit)\n\(compositor.errors)") }
      return FileManager.default.fileExists(atPath: home.runtimeDirectory + "/kwin")
    }
    return ["WAYLAND_DISPLAY": "kwin", "QT_QPA_PLATFORM": "wayland", "XDG_CURRENT_DESKTOP": "KDE"]
  }
}

// KDE's portals, and its global shortcuts.
extension VirtualDesktop {
  private static let portals = ["org.freedesktop.impl.portal.desktop.kde", "org.freedesktop.portal.Desktop"]

  /// The application id of the portal's dialog.
  public static var portalQuestion: String { portals[0] }

  /// Whether the portal asks the user before it grants a shortcut, as it does from KDE 6.4 on.
  public static func portalAsksForShortcuts() throws -> Bool {
    let command = try ScratchHome.command(ofService: portals[0])
    let portal = try Data(contentsOf: URL(fileURLWithPath: command[0]))
    return portal.range(of: Data("GlobalShortcutsDialog.qml".utf8)) != nil
  }

  /// Starts the portals, with a desktop file that makes the program count as installed.
  ///
  /// From xdg-desktop-portal 1.21 on, only installed programs get shortcuts.
  public func startKDEPortals() async throws {
    let folder = home.dataHome + "/applications"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let entry = "[Desktop Entry]\nType=Application\nName=CopyPasta\nExec=\(CopyPasta.programPath)\n"
    try Data(entry.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(CopyPasta.applicationID).desktop"))
    // Start the services here instead of by D-Bus activation, because the session bus lacks the desktop's environment.
    for name in Self.portals {
      // The portal's own warnings must not end it.
      let service = try start(ScratchHome.command(ofService: name), environment: ["G_DEBUG": ""])
      let isThere = try await run(["gdbus", "wait", "--session", "--timeout=20", name])
      guard isThere.exit == .code(0) else { throw TestSupportError("\(name): \(service.errors)") }
    }
  }

  /// Whether KDE has an active shortcut for a program.
  ///
  /// KDE 5.27 stores it under the name of the program's portal session, KDE 6 under its application id. Both end with
  /// `name`.
  public func holdsKDEShortcut(of name: String) async throws -> Bool {
    let components = try await askForShortcuts("/kglobalaccel", "org.kde.KGlobalAccel.allComponents")
    for path in components.split(separator: "'") where path.lowercased().hasSuffix(name) {
      let isActive = try await askForShortcuts("\(path)", "org.kde.kglobalaccel.Component.isActive")
      if isActive == "(true,)" { return true }
    }
    return false
  }

  private func askForShortcuts(_ path: String, _ method: String) async throws -> String {
    let call = ["gdbus", "call", "--session", "--dest=org.kde.kglobalaccel", "--object-path=\(path)"]
    return try await run(call + ["--method=\(method)"]).succeeded().text
  }
}
