import Foundation
import Synchronization

/// A separate home folder with all XDG folders, so that a test neither reads nor writes the user's.
public struct ScratchHome: Sendable {
  /// The path of the home folder.
  public let path: String

  /// The folder of the program's compiled settings schema, which is not installed on the system.
  private let schemas: String

  init() async throws {
    let parent = try Self.parent.get()
    path = parent.newPath()
    schemas = try await parent.schemas.value
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

  /// Returns the path for a new file that several tests share; it is removed when the test process ends.
  public static func sharedPath() throws -> String { try parent.get().newPath() }

  /// The folder of all homes of this process, made with the first one.
  private static let parent = Result { try Parent() }

  /// A folder that is removed when the test process ends, even if that is killed.
  ///
  /// This removes the homes of desktops that are kept for the next test, and those of a test that was killed.
  private final class Parent: Sendable {
    private let path: String
    private let count = Atomic(0)
    let schemas: Task<String, any Error>

    init() throws {
      let template = strdup(NSTemporaryDirectory() + "copypasta-test.XXXXXX")
      defer { free(template) }
      guard let template, let folder = mkdtemp(template) else {
        throw TestSupportError.system("mkdtemp", code: errno)
      }
      path = String(cString: folder)
      // Let other users pass, because sway refuses to run as root and runs as another user.
      chmod(path, 0o711)
      try Self.removeAfterUs(path)
      schemas = Task { [path] in
        try await compileSettingsSchemas(Fixture.checkout + "/data", into: path + "/schemas")
        return path + "/schemas"
      }
    }

    func newPath() -> String { "\(path)/\(count.add(1, ordering: .relaxed).newValue)" }

    /// Starts a process that removes the folder once this process has ended, which closes a pipe between the two.
    ///
    /// It tries repeatedly, because programs that are ending may still write to the folder.
    private static func removeAfterUs(_ path: String) throws {
      let script = #"""
        trap "" HUP INT TERM
        read -r _
        until rm -rf "$0" || [ "$((tries += 1))" -gt 100 ]; do sleep 0.1; done
        """#
      let end = try pipe()
      let silent = open("/dev/null", O_WRONLY | O_CLOEXEC)
      defer {
        close(silent)
        close(end.read)
      }
      _ = try spawn(
        ["/bin/sh", "-c", script, path], environment: ["PATH": "/usr/bin:/bin"], input: end.read,
        output: silent, errors: silent)
    }
  }

  /// Removes the folder; prints a message if that fails, for example because a program still writes to it.
  func remove() {
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch CocoaError.fileNoSuchFile {
    } catch { print("The scratch folder \(path) is still there: \(error)") }
  }
}
