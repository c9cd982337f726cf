import Foundation

/// A separate home folder with all XDG folders, so that a test neither reads nor writes the user's.
///
/// It is removed with its last reference.
public struct ScratchHome: Sendable {
  private let folder: TemporaryFolder
  /// The folder of the program's compiled settings schema, which is not installed on the system.
  private let schemas: String

  private static let compiledSchemas = Task {
    let folder = try TemporaryFolder.sharedPath()
    try await compileSettingsSchemas(Fixture.checkout + "/data", into: folder)
    return folder
  }

  /// The path of the home folder.
  public var path: String { folder.path }

  init() async throws {
    folder = try TemporaryFolder()
    schemas = try await Self.compiledSchemas.value
    chmod(path, 0o700)
    for folder in [configHome, dataHome, cacheHome, stateHome, runtimeDirectory, services] {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    // Turn the shortcut off, because it would keep the program running after its window is closed.
    try set(["shortcut": "''"])
    try setGTK([:])
  }

  /// Sets some of the program's settings, in GVariant's text format, and resets the others to their defaults.
  ///
  /// A running program is notified.
  ///
  /// - Parameter desktop: Some of GNOME's settings of the interface, in the same format.
  public func set(_ settings: [String: String], desktop: [String: String] = [:]) throws {
    try write(
      [
        "org/copypasta/CopyPasta": settings,
        // GTK reads these on Wayland, where they override settings.ini.
        "org/gnome/desktop/interface": ["font-name": "'Sans 10'", "icon-theme": "'Adwaita'"]
          .merging(desktop) { $1 },
      ], to: configHome + "/glib-2.0/settings/keyfile")
  }

  /// Sets some of GTK's settings in place of the tests' own, such as the font.
  public func setGTK(_ settings: [String: String]) throws {
    let tests = ["gtk-font-name": "Sans 10", "gtk-icon-theme-name": "Adwaita"]
    try write(["Settings": tests.merging(settings) { $1 }], to: configHome + "/gtk-4.0/settings.ini")
  }

  private func write(_ groups: [String: [String: String]], to path: String) throws {
    let file = URL(fileURLWithPath: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    let lines = groups.sorted { $0.key < $1.key }.flatMap { group, settings in
      ["[\(group)]"] + settings.map { "\($0)=\($1)" }.sorted()
    }
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file, options: .atomic)
  }

  /// `$XDG_DATA_HOME`.
  public var dataHome: String { path + "/.local/share" }
  /// `$XDG_CONFIG_HOME`.
  public var configHome: String { path + "/.config" }
  /// `$XDG_CACHE_HOME`.
  public var cacheHome: String { path + "/.cache" }
  /// `$XDG_STATE_HOME`.
  public var stateHome: String { path + "/.local/state" }
  /// `$XDG_RUNTIME_DIR`.
  public var runtimeDirectory: String { path + "/run" }
  /// The folder of the `.service` files for the session bus.
  var services: String { path + "/services" }

  /// Makes a program activatable on the session bus, which notices the new file automatically.
  public func addService(_ name: String, command: String) throws {
    let content = "[D-BUS Service]\nName=\(name)\nExec=\(command)\n"
    try Data(content.utf8).write(to: URL(fileURLWithPath: "\(services)/\(name).service"))
  }

  /// Makes one of the system's services activatable on the session bus.
  public func allowService(_ name: String) throws {
    try FileManager.default.copyItem(atPath: Self.systemService(name), toPath: "\(services)/\(name).service")
  }

  /// The path of the system's `.service` file for a name.
  static func systemService(_ name: String) -> String { "/usr/share/dbus-1/services/\(name).service" }

  /// The command line in the system's `.service` file for a name.
  static func command(ofService name: String) throws -> [String] {
    let service = try String(contentsOfFile: systemService(name), encoding: .utf8)
    guard let line = service.split(separator: "\n").first(where: { $0.hasPrefix("Exec=") }) else {
      throw TestSupportError("\(name).service starts nothing")
    }
    return line.dropFirst("Exec=".count).split(separator: " ").map(String.init)
  }

  /// The environment of a program in this home, without a display.
  ///
  /// Inherits only the variables with which programs and libraries are found, and a few others that tests need.
  public var environment: [String: String] {
    let kept = ["PATH", "LD_LIBRARY_PATH", "TZ"]
    let inherited = ProcessInfo.processInfo.environment.filter { kept.contains($0.key) }
    return inherited.merging([
      "HOME": path,
      "XDG_DATA_HOME": dataHome,
      "XDG_CONFIG_HOME": configHome,
      "XDG_CACHE_HOME": cacheHome,
      "XDG_STATE_HOME": stateHome,
      "XDG_RUNTIME_DIR": runtimeDirectory,
      "GSETTINGS_SCHEMA_DIR": schemas,
      "LANG": "C.UTF-8",
      "FONTCONFIG_FILE": Fixture.path("fonts.conf"),
      "G_DEBUG": "fatal-criticals",
      // Use a key file in this home, because dconf would need a service on the bus.
      "GSETTINGS_BACKEND": "keyfile",
    ]) { $1 }
  }
}
