import CGtk

/// A style sheet for every widget of the display, for as long as somebody holds it.
@MainActor
public final class StyleSheet {
  private let provider: Owned

  /// Adds a style sheet, whose rules and named colours come before those of the sheets of a lower level; the user's own
  /// come before all.
  ///
  /// - Parameter level: from 0, that of the program's own style.
  public init(_ css: String, level: Int = 0) {
    provider = Owned(taking: gtk_css_provider_new())
    self.css = css
    load()
    if let display = gdk_display_get_default() {
      gtk_style_context_add_provider_for_display(
        display, OpaquePointer(provider.raw), guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION + gint(level)))
    }
  }

  isolated deinit {
    if let display = gdk_display_get_default() {
      gtk_style_context_remove_provider_for_display(display, OpaquePointer(provider.raw))
    }
  }

  /// What it says.
  public var css: String {
    didSet { if css != oldValue { load() } }
  }

  private func load() {
    gtk_css_provider_load_from_data(
      provider.raw.assumingMemoryBound(to: GtkCssProvider.self), css, gssize(css.utf8.count))
  }
}
