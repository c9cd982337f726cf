import CGtk
import Glibc

/// How a shell, or a desktop's keyboard settings, call the running program.
public enum ShellCommand {
  /// The name, where the user's PATH leads it to this very program; its whole path otherwise.
  public static func ofThisProgram(named name: String) -> String {
    guard let own = UserFolders.program else { return name }
    return resolved(name) == own ? name : quoted(own)
  }

  /// A word that a shell reads as `text`.
  static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      isalnum(Int32(byte)) != 0 && byte < 0x80 || "/._-+".utf8.contains(byte)
    }
    return isPlain && !text.isEmpty ? text : string(taking: g_shell_quote(text))
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
