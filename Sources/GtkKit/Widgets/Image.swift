import CGtk

/// An icon of the theme.
@MainActor
public final class Image: Widget {
  /// Makes an image; `size` in pixels, or the theme's usual one.
  public convenience init(icon name: String, size: Int = -1) {
    self.init(new: gtk_image_new_from_icon_name(name))
    gtk_image_set_pixel_size(opaque, gint(size))
  }

  /// The icon's name in the theme.
  public var icon: String {
    get { gtk_image_get_icon_name(opaque).map { String(cString: $0) } ?? "" }
    set { gtk_image_set_from_icon_name(opaque, newValue) }
  }
}
