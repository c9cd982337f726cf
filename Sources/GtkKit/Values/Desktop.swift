import CGtk
import Glibc

/// The desktop session, as described by its environment.
public enum Desktop {
  /// Opens a URI in the user's browser; in a sandbox, uses the portal.
  ///
  /// Does nothing on a desktop without a browser.
  @MainActor
  public static func open(_ address: String) {
    g_app_info_launch_default_for_uri_async(address, nil, nil, nil, nil)
  }

  public static func hasFolder(at path: String) -> Bool {
    g_file_test(path, copypasta_G_FILE_TEST_IS_DIR) != 0
  }

  /// Shows a folder in the file manager, if the desktop has one.
  @MainActor
  public static func showFolder(at path: String) {
    guard let address = g_filename_to_uri(path, nil, nil) else { return }
    open(String(cString: address))
    g_free(address)
  }

  /// The desktop's names, the most specific one first (`$XDG_CURRENT_DESKTOP`): `["ubuntu", "GNOME"]`.
  public static var names: [String] {
    variable("XDG_CURRENT_DESKTOP").split(separator: ":").map(String.init)
  }

  /// Whether this is a Wayland session, even if Xwayland is available.
  public static var isWayland: Bool {
    !variable("WAYLAND_DISPLAY").isEmpty || variable("XDG_SESSION_TYPE") == "wayland"
  }

  /// The displays that environment variables name; an X server without the number of its screen.
  static func displays(in environment: [String: String]) -> [String] {
    let names = ["WAYLAND_DISPLAY", "DISPLAY"].compactMap { environment[$0] }.filter { !$0.isEmpty }
    return names.map { $0.hasSuffix(".0") ? String($0.dropLast(2)) : $0 }
  }

  /// Whether the program runs in Flatpak, where it does not see the desktop's files.
  public static var isFlatpak: Bool { access("/.flatpak-info", F_OK) == 0 }

  /// Whether an executable file exists at `path`.
  public static func hasProgram(at path: String) -> Bool { access(path, X_OK) == 0 }

  /// The user's folders, according to the XDG base directory specification.
  public enum Folders {
    /// `$XDG_DATA_HOME`.
    public static var data: String { String(cString: g_get_user_data_dir()) }
    /// `$XDG_CONFIG_HOME`.
    public static var config: String { String(cString: g_get_user_config_dir()) }
    /// `$XDG_STATE_HOME`.
    public static var state: String { String(cString: g_get_user_state_dir()) }

    /// Removes relative paths from the `XDG_` variables for folders, because the specification declares them invalid.
    ///
    /// GLib would use relative paths, so the location of the program's files would depend on the working directory.
    /// Call this first, because GLib reads the variables only once.
    static func ignoreRelativePaths() {
      let variables = [
        "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR",
      ]
      for name in variables where g_getenv(name).map({ $0.pointee != CChar(UInt8(ascii: "/")) }) == true {
        g_unsetenv(name)
      }
      for name in ["XDG_DATA_DIRS", "XDG_CONFIG_DIRS"] {
        guard let value = g_getenv(name).map({ String(cString: $0) }) else { continue }
        let paths = absolutePaths(in: value)
        if paths != value { g_setenv(name, paths, 1) }
      }
    }

    /// Removes the relative paths from a colon-separated list of folders.
    static func absolutePaths(in list: String) -> String {
      list.split(separator: ":").filter { $0.hasPrefix("/") }.joined(separator: ":")
    }

    /// The variables whose folder path is not valid UTF-8, so that no Swift string can represent it.
    public static var unnameable: [String] {
      let folders: [(String, UnsafePointer<CChar>?)] = [
        ("XDG_DATA_HOME", g_get_user_data_dir()), ("XDG_CONFIG_HOME", g_get_user_config_dir()),
        ("XDG_STATE_HOME", g_get_user_state_dir()),
      ]
      return folders.filter { g_utf8_validate($0.1, -1, nil) == 0 }.map(\.0)
    }

    public static var home: String { String(cString: g_get_home_dir()) }
    /// `$XDG_DATA_DIRS`.
    public static var systemData: [String] {
      g_get_system_data_dirs().map { strings(in: $0) } ?? []
    }
    /// `$XDG_CONFIG_DIRS`.
    public static var systemConfig: [String] {
      g_get_system_config_dirs().map { strings(in: $0) } ?? []
    }
  }

  private static func variable(_ name: String) -> String {
    g_getenv(name).map { String(cString: $0) } ?? ""
  }
}
