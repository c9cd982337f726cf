import Foundation
import Synchronization
import TestSupport

/// Runs a command on a private desktop: `desktop KIND -- COMMAND`.
///
/// The scripts of `meson-helpers` show and measure CopyPasta on this desktop. The command gets the environment of
/// this process, with the desktop's display, session bus and empty home folder.
@main enum Desktop {
  private static let usage = """
    usage: desktop x11|sway|labwc|gnome|kde -- COMMAND [ARGUMENT...]

    Runs a command on a private desktop, with a session bus and a home folder of its own. The desktop ends with the
    command, and the status is the command's. The screen has 1280x900 pixels, or COPYPASTA_SCREEN=WIDTHxHEIGHT.

    """

  private static let kinds: [String: VirtualDesktop.Kind] = [
    "x11": .x11, "sway": .wayland, "labwc": .labwc, "gnome": .gnome, "kde": .kde,
  ]

  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    if ["-h", "--help"].contains(arguments.first) { return print(usage, terminator: "") }
    guard arguments.count >= 3, arguments.dropFirst().first == "--",
      let kind = arguments.first.flatMap({ kinds[$0] })
    else { end(2, saying: usage) }
    guard kind.isInstalled else { end(77, saying: "desktop: \(arguments[1]) is not installed\n") }
    do {
      let desktop = try await VirtualDesktop.start(kind, preparing: prepare)
      let status = try await run(Array(arguments.dropFirst(2)), on: desktop)
      try await desktop.stop()
      exit(status)
    } catch { end(1, saying: "desktop: \(error)\n") }
  }

  private static func end(_ status: Int32, saying text: String) -> Never {
    FileHandle.standardError.write(Data(text.utf8))
    exit(status)
  }

  /// Removes the tests' settings, and gives KDE a shortcut that runs `$XDG_RUNTIME_DIR/shortcut`.
  ///
  /// `meson-helpers/bench` writes that file. KDE reads its shortcuts only when it starts.
  private static func prepare(_ home: ScratchHome) throws {
    try FileManager.default.removeItem(atPath: home.configHome + "/glib-2.0")
    try FileManager.default.removeItem(atPath: home.configHome + "/gtk-4.0")
    let folder = home.dataHome + "/kglobalaccel"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let entry = """
      [Desktop Entry]
      Type=Application
      Name=Shortcut
      Exec=\(home.runtimeDirectory)/shortcut --toggle
      X-KDE-Shortcuts=Meta+Ctrl+V

      """
    try entry.write(toFile: folder + "/shortcut.desktop", atomically: true, encoding: .utf8)
  }

  private static func run(_ command: [String], on desktop: VirtualDesktop) async throws -> Int32 {
    var environment = ProcessInfo.processInfo.environment
    for name in [
      "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DESKTOP_STARTUP_ID", "XDG_ACTIVATION_TOKEN", "LC_ALL",
    ] {
      environment[name] = nil
    }
    // The caller decides on fatal warnings and fonts, and a staged program has its own schema.
    environment.merge(
      desktop.environment(with: ["G_DEBUG": "", "GSETTINGS_SCHEMA_DIR": "", "FONTCONFIG_FILE": ""])
    ) { $1 }
    let program = try Program(command, environment: environment, inheritingStreams: true)
    let interruptions = [SIGINT, SIGTERM, SIGHUP].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { program.signal(SIGTERM) }
      source.resume()
      return source
    }
    defer { for source in interruptions { source.cancel() } }
    while true {
      switch try await program.waitForExit() {
      case .code(let status): return status
      case .signal(let number): return 128 + number
      case nil: continue
      }
    }
  }
}
