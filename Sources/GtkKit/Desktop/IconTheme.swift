import CGtk

/// The icons of the desktop's theme.
@MainActor
public enum IconTheme {
  /// Whether the theme of the default display has an icon of this name.
  public static func has(_ name: String) -> Bool {
    guard let display = gdk_display_get_default() else { return false }
    return gtk_icon_theme_has_icon(gtk_icon_theme_get_for_display(display), name) != 0
  }
}
