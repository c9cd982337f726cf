import Foundation
import Synchronization

/// A home folder of its own with every XDG folder in it, so that a test neither sees nor touches the user's.
public struct ScratchHome: Sendable {
  /// The folder that holds everything below.
  public let path: String

  /// Where the program's settings schema is: what is built here is not installed.
  private let schemas: String

  init() async throws {
    let parent = try Self.parent.get()
    path = parent.newPath()
    schemas = try await parent.schemas.value
    for folder in [configHome, dataHome, cacheHome, stateHome, runtimeDirectory, services] {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    // With a shortcut the program would live on when its window is closed.
    try set(["shortcut": "''"])
  }

  /// Sets some of the program's settings, in GVariant's language, and the others to what they are at first.
  ///
  /// A program that runs notices.
  public func set(_ settings: [String: String]) throws {
    let folder = configHome + "/glib-2.0/settings"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let lines = ["[org/copypasta/CopyPasta]"] + settings.map { "\($0)=\($1)" }.sorted()
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(
      to: URL(fileURLWithPath: folder + "/keyfile"), options: .atomic)
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
  /// The `.service` files of what the session bus may start.
  var services: String { path + "/services" }

  /// Lets the session bus start a program for whoever calls its name; the bus notices by itself.
  public func addService(_ name: String, command: String) throws {
    let content = "[D-BUS Service]\nName=\(name)\nExec=\(command)\n"
    try Data(content.utf8).write(to: URL(fileURLWithPath: "\(services)/\(name).service"))
  }

  /// Lets the session bus start a service of the system's.
  public func allowService(_ name: String) throws {
    try FileManager.default.copyItem(atPath: Self.systemService(name), toPath: "\(services)/\(name).service")
  }

  /// The file by which the system's session buses start a service.
  static func systemService(_ name: String) -> String { "/usr/share/dbus-1/services/\(name).service" }

  /// The command line by which the system's session buses start a service.
  static func command(ofService name: String) throws -> [String] {
    let service = try String(contentsOfFile: systemService(name), encoding: .utf8)
    guard let line = service.split(separator: "\n").first(where: { $0.hasPrefix("Exec=") }) else {
      throw TestSupportError("\(name).service starts nothing")
    }
    return line.dropFirst("Exec=".count).split(separator: " ").map(String.init)
  }

  /// The environment of a program that lives in this home, without a display: what the test process has for
  /// finding programs and libraries, and nothing else of it.
  public var environment: [String: String] {
    let kept = ["PATH", "LD_LIBRARY_PATH", "TZ", "COPYPASTA_MUTANT"]
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
      "G_DEBUG": "fatal-criticals",
      // dconf would need a service on the bus; a key file in the scratch home does not.
      "GSETTINGS_BACKEND": "keyfile",
    ]) { $1 }
  }

  /// The path of a new file that several tests share; it is removed when the test process has ended.
  public static func sharedPath() throws -> String { try parent.get().newPath() }

  /// Holds the homes of this process; made with the first one.
  private static let parent = Result { try Parent() }

  /// A folder that goes with the test process, however that ends: a desktop that is kept for the next test, and a test
  /// that is killed, have nobody else who removes theirs.
  private final class Parent: Sendable {
    private let path: String
    private let count = Atomic(0)
    let schemas: Task<String, any Error>

    init() throws {
      var template = Array((NSTemporaryDirectory() + "copypasta-test.XXXXXX").utf8CString)
      guard let folder = mkdtemp(&template) else { throw TestSupportError.system("mkdtemp", code: errno) }
      path = String(cString: folder)
      // sway, which refuses root, runs as another user.
      chmod(path, 0o711)
      try Self.removeAfterUs(path)
      schemas = Task { [path] in
        try await compileSettingsSchemas(Fixture.checkout + "/data", into: path + "/schemas")
        return path + "/schemas"
      }
    }

    func newPath() -> String { "\(path)/\(count.add(1, ordering: .relaxed).newValue)" }

    /// By a process that reads from a pipe until nobody is left who could write: us.
    ///
    /// The programs that we have started end with us, and may be busy in the folder meanwhile.
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

  /// Removes the folder and all in it, if a program on its way out does not keep it busy.
  func remove() {
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch CocoaError.fileNoSuchFile {
    } catch { print("The scratch folder \(path) is still there: \(error)") }
  }
}
