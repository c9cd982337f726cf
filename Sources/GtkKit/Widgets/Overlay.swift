import CGtk

/// A widget with others lying over it.
@MainActor
public final class Overlay: Widget {
  /// Lays widgets over another, where their alignment puts them; it keeps its size and place.
  public convenience init(_ child: Widget, under others: [Widget]) {
    self.init(new: gtk_overlay_new())
    gtk_overlay_set_child(opaque, child.widget)
    for other in others { gtk_overlay_add_overlay(opaque, other.widget) }
  }
}
