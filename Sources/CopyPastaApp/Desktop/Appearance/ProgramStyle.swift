import GtkKit

/// How all windows look: the style sheets of the program.
@MainActor
final class ProgramStyle {
  /// For a display without a compositor, where what a window leaves transparent is black.
  ///
  /// Menus, tooltips and what is dragged are windows of their own, with round corners and a shadow otherwise.
  private static let square = """
    popover > contents, tooltip, .drag-card {
      border-radius: 0;
      box-shadow: none;
      border-color: mix(@theme_bg_color, @theme_fg_color, 0.3);
      background-clip: border-box;
    }
    .drag-card { margin: 0; }
    """

  private let own = StyleSheet(String(decoding: PackageResources.style_css, as: UTF8.self))
  private let shape = StyleSheet("", level: 1)

  init() {
    Display.onCompositionChange { [weak self] in self?.shapeWindows() }
    shapeWindows()
  }

  private func shapeWindows() { shape.css = Display.isComposited ? "" : Self.square }
}
