import CGtk

/// What a menu offers: labels and the actions that they run.
@MainActor
public final class Menu: Object {
  /// Makes a menu of entries: what is read, and the full name of the action (`row.copy`).
  public convenience init(_ entries: [(label: String, action: String)]) {
    self.init(Owned(taking: UnsafeMutableRawPointer(g_menu_new().unsafelyUnwrapped)))
    for entry in entries { g_menu_append(opaque, entry.label, entry.action) }
  }
}

/// A menu that pops up over a widget.
@MainActor
public final class PopoverMenu: Widget {
  /// Makes a menu that belongs to a widget, whose actions it runs.
  ///
  /// `detach` it before the widget goes.
  public convenience init(_ menu: Menu, on parent: Widget) {
    self.init(new: gtk_popover_menu_new_from_model(menu.cast()))
    gtk_widget_set_parent(widget, parent.widget)
    gtk_popover_set_has_arrow(cast(), 0)
    gtk_widget_set_halign(widget, GTK_ALIGN_START)
  }

  /// Shows the menu at a place, in coordinates of the widget that it belongs to.
  public func popUp(at place: Rectangle) {
    var place = GdkRectangle(
      x: gint(place.x), y: gint(place.y), width: gint(place.width), height: gint(place.height))
    gtk_popover_set_pointing_to(cast(), &place)
    gtk_popover_popup(cast())
  }

  /// Takes the menu off its widget.
  public func detach() { gtk_widget_unparent(widget) }
}
