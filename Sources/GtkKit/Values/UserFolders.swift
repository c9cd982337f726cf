import CGtk

/// The user's folders, by the XDG base directory specification.
public enum UserFolders {
  /// `$XDG_DATA_HOME`.
  public static var data: String { String(cString: g_get_user_data_dir()) }
  /// `$XDG_STATE_HOME`.
  public static var state: String { String(cString: g_get_user_state_dir()) }
}
