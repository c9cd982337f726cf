import CGtk

@MainActor
public final class Overlay: Widget {
  /// Places `others` on top of `child`, according to their alignment; `child` keeps its size and position.
  public convenience init(_ child: Widget, under others: [Widget]) {
    self.init(new: gtk_overlay_new())
    gtk_overlay_set_child(opaque, child.widget)
    others.forEach(add)
  }

  public func add(_ other: Widget) { gtk_overlay_add_overlay(opaque, other.widget) }

  /// Adds a card on top of the others, centred above the lower edge.
  ///
  /// The card is as wide and high as its content, but at most `width` pixels wide, and two thirds of the overlay high.
  ///
  /// - Parameter covers: Called after a layout with the height at the lower edge that the card now covers, in pixels.
  public func add(
    card: Widget, width greatest: Int, margin: Int, covers: @escaping @MainActor (Int) -> Void
  ) {
    let (covered, report) = (Shared(0), Shared<Timeout?>(nil))
    let cover: @MainActor (Int) -> Void = { height in
      guard height != covered.value else { return }
      covered.value = height
      // Report later, because nothing may change the layout during a layout.
      report.value = Timeout(after: .zero) { covers(covered.value) }
    }
    connectReturning("get-child-position") {
      [pointer = card.opaque, overlay = opaque] (child: OpaquePointer, area: OpaquePointer) -> Bool in
      guard child == pointer else { return false }
      let overlay = UnsafeMutablePointer<GtkWidget>(overlay)
      let (room, height) = (gtk_widget_get_width(overlay), gtk_widget_get_height(overlay))
      let child = UnsafeMutablePointer<GtkWidget>(child)
      let (wide, margin) = (size(of: child, GTK_ORIENTATION_HORIZONTAL), gint(margin))
      let width = max(min(wide.natural, room - 2 * margin, gint(greatest)), wide.minimum)
      let high = size(of: child, GTK_ORIENTATION_VERTICAL, for: width)
      let own = max(min(high.natural, height * 2 / 3 - margin), high.minimum)
      UnsafeMutablePointer<GdkRectangle>(area).pointee = GdkRectangle(
        x: (room - width) / 2, y: height - own - margin, width: width, height: own)
      cover(Int(own + margin))
      return true
    }
    card.connect("notify::visible") { [pointer = card.widget] in
      if gtk_widget_get_visible(pointer) == 0 { cover(0) }
    }
    add(card)
  }
}

/// A widget's size along one axis, given its size along the other one.
@MainActor
private func size(
  of widget: UnsafeMutablePointer<GtkWidget>, _ orientation: GtkOrientation, for other: gint = -1
) -> (minimum: gint, natural: gint) {
  var (minimum, natural): (gint, gint) = (0, 0)
  gtk_widget_measure(widget, orientation, other, &minimum, &natural, nil, nil)
  return (minimum, natural)
}
