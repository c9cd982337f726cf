import CGtk

/// Draws a widget beside its place, without laying anything out anew.
///
/// It goes back at the pace of the style sheet's transition of `transform`, if the user wants motion at all.
@MainActor
public final class Shift {
  private let provider: Owned

  /// Prepares a widget, which stays where it is.
  public init(of widget: Widget) {
    provider = Owned(taking: gtk_css_provider_new())
    // A provider of its own: one for the display would have every widget look for its style again.
    gtk_style_context_add_provider(
      gtk_widget_get_style_context(widget.widget), OpaquePointer(provider.raw),
      guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION) + 1)
  }

  /// How far to the right, in pixels; negative to the left.
  public var distance = 0.0 {
    didSet {
      guard distance != oldValue else { return }
      let css = distance == 0 ? "" : "* { transform: translateX(\(distance)px); transition: none; }"
      gtk_css_provider_load_from_data(
        UnsafeMutablePointer(provider.raw.assumingMemoryBound(to: GtkCssProvider.self)), css,
        gssize(css.utf8.count))
    }
  }
}
