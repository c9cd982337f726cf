import GtkKit

/// How all windows look: the program's own style, and what the desktop prefers.
@MainActor
final class ProgramStyle {
  /// For a display without a compositor, where what a window leaves transparent is black.
  ///
  /// Menus, tooltips and what is dragged are windows of their own, which otherwise have round corners and a shadow.
  private static let square = """
    popover > contents, tooltip, .drag-card {
      border-radius: 0;
      box-shadow: none;
      border-color: mix(@theme_bg_color, @theme_fg_color, 0.3);
      background-clip: border-box;
    }
    .drag-card, dropdown > popover { margin: 0; }
    """

  private let own = StyleSheet(String(decoding: PackageResources.style_css, as: UTF8.self))
  private let theme = Theme()
  private let shape = StyleSheet("", level: 1)
  private let accent = StyleSheet("", level: 1)

  init() {
    Display.onCompositionChange(weakly(self) { $0.shapeWindows() })
    shapeWindows()
  }

  /// Looks as the desktop prefers it, as far as the user has not set a theme of their own.
  func show(_ appearance: Appearance) {
    theme.prefer(isDark: appearance.isDark, hasHighContrast: appearance.hasHighContrast)
    accent.css = theme.isOfGTK ? appearance.accent.map(Self.rules(of:)) ?? "" : ""
  }

  /// The name that the program's own style has for the accent, and what GTK's theme has fixed colours for.
  private static func rules(of accent: Appearance.Colour) -> String {
    """
    @define-color theme_selected_bg_color \(accent.css);
    @define-color theme_selected_fg_color \(accent.isBright ? "black" : "white");
    switch:checked { background-color: @theme_selected_bg_color; color: @theme_selected_fg_color; }
    selection { background-color: @theme_selected_bg_color; color: @theme_selected_fg_color; }
    """
  }

  private func shapeWindows() { shape.css = Display.isComposited ? "" : Self.square }
}
