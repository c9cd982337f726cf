import CGtk

/// Two widgets in a row, of which the second is shown only if there is room for both.
@MainActor
public final class CollapsingBox: Widget {
  private static let spacing: gint = 6

  /// Makes a row that asks for the room of both, and makes do with that of the first.
  public convenience init(_ first: Widget, _ second: Widget) {
    self.init(new: gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0))
    for child in [first, second] { gtk_box_append(cast(), child.widget) }
    typealias Size = UnsafeMutablePointer<gint>
    let measure:
      @MainActor @convention(c) (
        UnsafeMutablePointer<GtkWidget>?, GtkOrientation, gint, Size?, Size?, Size?, Size?
      ) -> Void = { box, orientation, _, minimum, natural, _, _ in
        let sizes = CollapsingBox.children(of: box).map { CollapsingBox.size(of: $0, orientation) }
        let isHorizontal = orientation == GTK_ORIENTATION_HORIZONTAL
        minimum?.pointee = isHorizontal ? sizes[0].minimum : sizes.map(\.minimum).max() ?? 0
        natural?.pointee =
          isHorizontal
          ? sizes[0].natural + CollapsingBox.spacing + sizes[1].natural : sizes.map(\.natural).max() ?? 0
      }
    let allocate: @MainActor @convention(c) (UnsafeMutablePointer<GtkWidget>?, gint, gint, gint) -> Void = {
      box, width, height, _ in
      CollapsingBox.place(CollapsingBox.children(of: box), in: box, width: width, height: height)
    }
    let layout = gtk_custom_layout_new(
      nil, unsafeBitCast(measure, to: GtkCustomMeasureFunc.self),
      unsafeBitCast(allocate, to: GtkCustomAllocateFunc.self))
    // The widget takes it over.
    gtk_widget_set_layout_manager(widget, layout)
  }

  private typealias Child = UnsafeMutablePointer<GtkWidget>

  private static func children(of box: Child?) -> [Child] {
    let first = gtk_widget_get_first_child(box)
    return [first, gtk_widget_get_next_sibling(first)].compactMap(\.self)
  }

  private static func size(
    of child: Child, _ orientation: GtkOrientation
  ) -> (minimum: gint, natural: gint) {
    var minimum: gint = 0
    var natural: gint = 0
    gtk_widget_measure(child, orientation, -1, &minimum, &natural, nil, nil)
    return (minimum, natural)
  }

  private static func place(_ children: [Child], in box: Child?, width: gint, height: gint) {
    let widths = children.map { size(of: $0, GTK_ORIENTATION_HORIZONTAL).natural }
    let isWhole = width >= widths[0] + spacing + widths[1]
    gtk_widget_set_child_visible(children[1], isWhole ? 1 : 0)
    let isMirrored = gtk_widget_get_direction(box) == GTK_TEXT_DIR_RTL
    var start: gint = 0
    for (child, own) in zip(children, widths).prefix(isWhole ? 2 : 1) {
      let own = min(own, width)
      var area = GdkRectangle(x: isMirrored ? width - start - own : start, y: 0, width: own, height: height)
      gtk_widget_size_allocate(child, &area, -1)
      start += own + spacing
    }
  }
}
