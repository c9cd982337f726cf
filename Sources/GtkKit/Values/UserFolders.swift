import CGtk
import Glibc

/// The user's folders, by the XDG base directory specification.
public enum UserFolders {
  /// `$XDG_DATA_HOME`.
  public static var data: String { String(cString: g_get_user_data_dir()) }
  /// `$XDG_CONFIG_HOME`.
  public static var config: String { String(cString: g_get_user_config_dir()) }
  /// `$XDG_STATE_HOME`.
  public static var state: String { String(cString: g_get_user_state_dir()) }

  /// Whether there is a file that may be run.
  public static func hasProgram(at path: String) -> Bool { access(path, X_OK) == 0 }

  /// The user's own folder.
  public static var home: String { String(cString: g_get_home_dir()) }
  /// `$XDG_DATA_DIRS`.
  public static var systemData: [String] {
    guard let list = g_get_system_data_dirs() else { return [] }
    return sequence(first: 0) { $0 + 1 }.lazy.map { list[$0] }.prefix { $0 != nil }
      .compactMap { $0.map { String(cString: $0) } }
  }
}
