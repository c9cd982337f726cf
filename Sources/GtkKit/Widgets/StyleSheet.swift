import CGtk

/// A style sheet that applies to all widgets of the display until it is released.
@MainActor
public final class StyleSheet {
  private let provider: Owned

  /// Adds a style sheet, whose rules and named colours override those of style sheets with a lower level.
  ///
  /// The user's own style sheet overrides all levels.
  ///
  /// - Parameter level: 0 for the program's own style; negative for a style that the program's style overrides.
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

  public var css: String {
    didSet { if css != oldValue { load() } }
  }

  private func load() {
    copypasta_css_provider_load(provider.raw, css)
  }
}

/// A style sheet for a single widget, which overrides those of the display.
@MainActor
public final class WidgetStyle {
  private let provider: Owned

  public init(of widget: Widget) {
    provider = Owned(taking: gtk_css_provider_new())
    // A provider for the display would make every widget recompute its style.
    copypasta_widget_add_style(
      widget.widget, provider.raw, guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION) + 1)
  }

  /// The declarations, in CSS.
  public var declarations = "" {
    didSet {
      guard declarations != oldValue else { return }
      copypasta_css_provider_load(provider.raw, declarations.isEmpty ? "" : "* { \(declarations) }")
    }
  }
}

/// Draws a widget at an offset, without a new layout.
///
/// Setting `distance` back to 0 moves the widget back with the style sheet's `transform` transition, unless the user
/// has disabled animations.
@MainActor
public final class Shift {
  private let style: WidgetStyle

  public init(of widget: Widget) { style = WidgetStyle(of: widget) }

  /// The offset to the right, in pixels; negative to the left.
  public var distance = 0.0 {
    didSet {
      style.declarations =
        distance == 0 ? "" : "transform: translateX(\(distance)px); transition: none;"
    }
  }
}
