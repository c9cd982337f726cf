import CGtk

/// An icon of the theme.
@MainActor
public final class Image: Widget {
  /// Makes an image; `size` in pixels, or the theme's usual one.
  public convenience init(icon name: String, size: Int = -1) {
    self.init(new: gtk_image_new_from_icon_name(name))
    gtk_image_set_pixel_size(opaque, gint(size))
  }

  /// Whether the theme, or what is installed, has an icon.
  public static func exists(_ name: String) -> Bool {
    guard let display = gdk_display_get_default() else { return false }
    return gtk_icon_theme_has_icon(gtk_icon_theme_get_for_display(display), name) != 0
  }
}
