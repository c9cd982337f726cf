import CGtk
import Glibc

/// The files that are installed with the program: translations, settings schema and icons, in `share` below its prefix.
///
/// The program looks for them from its own place, so that it may be installed anywhere, and moved. In a checkout the
/// folder lies beside the program; `meson-helpers/internal/build stage` fills it.
public enum ProgramFiles {
  /// Whether other programs look into the folder as well, so that a panel knows the icon by its name.
  @MainActor public private(set) static var areKnownToOthers = false

  /// Sets the user's language, and lets gettext, GSettings and the icon theme look into the folder.
  ///
  /// Call it first: GLib reads its environment once.
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

  /// The folder for a program at `path`; nil if it has none.
  static func folder(ofProgram path: String) -> String? {
    let beside = parent(of: path)
    let folders = [beside + "/share", parent(of: beside) + "/share"]
    return folders.first { g_file_test($0, copypasta_G_FILE_TEST_IS_DIR) != 0 }
  }

  /// The value of `XDG_DATA_DIRS` with the folder in it, `known` being what it was.
  static func dataFolders(with folder: String, before known: String) -> String {
    // The specification's default.
    let known = known.isEmpty ? "/usr/local/share/:/usr/share/" : known
    let isListed = known.split(separator: ":").contains { $0 == folder || $0 == folder + "/" }
    return isListed ? known : folder + ":" + known
  }

  private static func parent(of path: String) -> String {
    String(taking: g_path_get_dirname(path))
  }

  // MARK: - The program itself

  /// The file that starts this program, by its real path; nil if the system does not say.
  ///
  /// Read once, by `registerDataFolder`: an upgrade replaces the file, and the system says "(deleted)" from then on.
  public static let program: String? =
    g_file_read_link("/proc/self/exe", nil).map { command(ofProgram: String(taking: $0)) }

  /// The command that starts the program at `path`: once installed, another file than the program itself.
  static func command(ofProgram path: String) -> String {
    let installed = ["/libexec/copypasta-gtk", "/lib/copypasta-gtk"].first { path.hasSuffix($0) }
    return installed.map { path.dropLast($0.count) + "/bin/copypasta" } ?? path
  }

  /// How a shell, or a desktop's keyboard settings, call this program: by its name, if the user's PATH leads there; by
  /// its whole path if not.
  public static func shellCommand(named name: String) -> String {
    guard let own = program else { return name }
    return resolved(name) == own ? name : quoted(own)
  }

  /// A word that a shell reads as `text`.
  static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      isalnum(Int32(byte)) != 0 && byte < 0x80 || "/._-+".utf8.contains(byte)
    }
    return isPlain && !text.isEmpty ? text : String(taking: g_shell_quote(text))
  }

  /// The file that a name in PATH leads to, without symbolic links.
  private static func resolved(_ name: String) -> String? {
    guard let found = g_find_program_in_path(name) else { return nil }
    defer { g_free(found) }
    guard let path = realpath(found, nil) else { return nil }
    defer { free(path) }
    return String(cString: path)
  }
}
