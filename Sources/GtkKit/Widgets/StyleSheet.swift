import CGtk

/// A style sheet for every widget of the display, for as long as somebody holds it.
@MainActor
public final class StyleSheet {
  private let provider: Owned

  /// Adds a style sheet, whose rules and named colours come before those of the sheets of a lower level; the user's own
  /// come before all.
  ///
  /// - Parameter level: 0 for the program's own style; below 0 for what it overrides.
  public init(_ css: String, level: Int = 0) {
    provider = Owned(taking: gtk_css_provider_new())
    self.css = css
    load()
    if let display = gdk_display_get_default() {
      gtk_style_context_add_provider_for_display(
        display, OpaquePointer(provider.raw), guint(Int(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION) + level))
    }
  }

  isolated deinit {
    if let display = gdk_display_get_default() {
      gtk_style_context_remove_provider_for_display(display, OpaquePointer(provider.raw))
    }
  }

  /// The rules, in CSS.
  public var css: String {
    didSet { if css != oldValue { load() } }
  }

  private func load() {
    copypasta_css_provider_load(provider.raw, css)
  }
}

/// Draws a widget beside its place, without laying anything out anew.
///
/// The widget goes back at the pace of the style sheet's transition of `transform`, if the user wants motion at all.
@MainActor
public final class Shift {
  private let provider: Owned

  /// Prepares a widget, which stays where it is.
  public init(of widget: Widget) {
    provider = Owned(taking: gtk_css_provider_new())
    // A provider of its own: one for the display would have every widget look for its style again.
    copypasta_widget_add_style(
      widget.widget, provider.raw, guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION) + 1)
  }

  /// How far to the right, in pixels; negative to the left.
  public var distance = 0.0 {
    didSet {
      guard distance != oldValue else { return }
      let css = distance == 0 ? "" : "* { transform: translateX(\(distance)px); transition: none; }"
      copypasta_css_provider_load(provider.raw, css)
    }
  }
}
