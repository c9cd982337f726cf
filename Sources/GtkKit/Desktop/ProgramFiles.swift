import CGtk
import Glibc

/// The data files installed with the program (translations, settings schema and icons), in `share` under the prefix.
///
/// They are located relative to the executable, so that the program can be installed anywhere and moved. In a checkout,
/// `share` is next to the executable; `meson-helpers/internal/build stage` fills it.
public enum ProgramFiles {
  /// Whether other programs also search the data folder, so that a panel can find the icon by name.
  @MainActor public private(set) static var areKnownToOthers = false

  /// Sets the locale, and makes gettext, GSettings and the icon theme search the data folder.
  ///
  /// Call it first, because GLib reads its environment only once.
  @MainActor
  public static func registerDataFolder() {
    setlocale(LC_ALL, "")
    Desktop.Folders.ignoreRelativePaths()
    guard let folder = program.flatMap(folder(ofProgram:)) else { return }
    bindtextdomain(translationDomain, folder + "/locale")
    bind_textdomain_codeset(translationDomain, "UTF-8")
    let known = g_getenv("XDG_DATA_DIRS").map { String(cString: $0) } ?? ""
    let folders = dataFolders(with: folder, before: known)
    g_setenv("XDG_DATA_DIRS", folders, 1)
    let isAdded = folders != known && folders.hasPrefix(folder + ":")
    areKnownToOthers = !isAdded || folder == Desktop.Folders.data
  }

  /// Returns the data folder for an executable at `path`; nil if it has none.
  static func folder(ofProgram path: String) -> String? {
    let beside = parent(of: path)
    let folders = [beside + "/share", parent(of: beside) + "/share"]
    return folders.first { g_file_test($0, copypasta_G_FILE_TEST_IS_DIR) != 0 }
  }

  /// Returns a value for `XDG_DATA_DIRS` that includes `folder`; `known` is the current value.
  static func dataFolders(with folder: String, before known: String) -> String {
    // The default value in the specification.
    let known = known.isEmpty ? "/usr/local/share/:/usr/share/" : known
    let isListed = known.split(separator: ":").contains { $0 == folder || $0 == folder + "/" }
    return isListed ? known : folder + ":" + known
  }

  private static func parent(of path: String) -> String {
    String(taking: g_path_get_dirname(path))
  }

  // MARK: - The program itself

  /// The real path of the command that starts this program; nil if the system does not provide it.
  ///
  /// `registerDataFolder` reads it once at startup, because the system appends "(deleted)" to the path after an upgrade
  /// has replaced the file.
  public static let program: String? =
    g_file_read_link("/proc/self/exe", nil).map { command(ofProgram: String(taking: $0)) }

  /// Returns the environment variables with which a process was started, as far as they are valid UTF-8.
  ///
  /// - Parameter process: A process's number, or `self`.
  static func initialEnvironment(of process: String) -> [String: String] {
    var (content, length): (UnsafeMutablePointer<CChar>?, gsize) = (nil, 0)
    guard g_file_get_contents("/proc/\(process)/environ", &content, &length, nil) != 0, let content else {
      return [:]
    }
    defer { g_free(content) }
    let bytes = UnsafeRawBufferPointer(start: content, count: Int(length))
    return bytes.split(separator: 0).reduce(into: [:]) { variables, line in
      guard let equals = line.firstIndex(of: UInt8(ascii: "=")),
        let name = String(validating: line[..<equals], as: UTF8.self),
        let value = String(validating: line[(equals + 1)...], as: UTF8.self)
      else { return }
      variables[name] = value
    }
  }

  /// Replaces this process with a new run of the program; returns only if that fails.
  @MainActor public static func startAgain(_ arguments: [String], _ activation: Activation) {
    guard let program else { return }
    if case .token(let token) = activation {
      for name in Activation.variables { g_setenv(name, token, 1) }
    }
    var arguments = ([program] + arguments).map { strdup($0) } + [nil]
    execv(program, &arguments)
  }

  /// Returns the command that starts the executable at `path`: in an installation, the launcher.
  static func command(ofProgram path: String) -> String {
    let installed = ["/libexec/copypasta-gtk", "/lib/copypasta-gtk"].first { path.hasSuffix($0) }
    return installed.map { path.dropLast($0.count) + "/bin/copypasta" } ?? path
  }

  /// Returns this program's command for a desktop's settings: `name` if PATH finds this program by that name, otherwise
  /// the full path.
  public static func command(named name: String) -> String {
    guard let own = program else { return name }
    return resolved(name) == own ? name : own
  }

  /// Quotes a word for a POSIX shell, if necessary.
  public static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      isalnum(Int32(byte)) != 0 && byte < 0x80 || "/._-+".utf8.contains(byte)
    }
    return isPlain && !text.isEmpty ? text : String(taking: g_shell_quote(text))
  }

  /// Returns the real path of the file that PATH finds for a name.
  private static func resolved(_ name: String) -> String? {
    guard let found = g_find_program_in_path(name) else { return nil }
    defer { g_free(found) }
    guard let path = realpath(found, nil) else { return nil }
    defer { free(path) }
    return String(cString: path)
  }
}
