import CGtk

/// A popover that shows a menu (transfer floating), whose entries screen readers can name.
@MainActor
func makePopover(of menu: Menu) -> UnsafeMutablePointer<GtkWidget>? {
  guard let popover = gtk_popover_menu_new_from_model(menu.cast()) else { return nil }
  let map: @MainActor @convention(c) (UnsafeMutablePointer<GtkWidget>, gpointer?) -> Void = { popover, _ in
    nameEntries(in: popover)
    layOutEntries(of: popover)
  }
  // Not before it is in a window: then GTK says once more what labels its entries.
  g_signal_connect_data(
    popover, "map", unsafeBitCast(map, to: GCallback.self), nil, nil, GConnectFlags(rawValue: 0))
  return popover
}

/// Gives the entries of a menu their places before its first frame.
///
/// **Fault** (GTK 4.8 to 4.24): an arrow key looks for the next entry by its place. If it is pressed before the first
/// frame, as by a quick hand on a slow machine, GTK finds none below, and begins at the top again.
///
/// **Workaround**: lays the entries out when the popover is mapped. The popover itself waits for its surface's size.
///
/// **It can go** when GTK lays out a popover before it takes keys.
@MainActor
private func layOutEntries(of popover: UnsafeMutablePointer<GtkWidget>) {
  guard let entries = gtk_popover_get_child(Widget(Owned(borrowing: popover)).cast()) else { return }
  var (width, height): (gint, gint) = (0, 0)
  gtk_widget_measure(entries, GTK_ORIENTATION_HORIZONTAL, -1, nil, &width, nil, nil)
  gtk_widget_measure(entries, GTK_ORIENTATION_VERTICAL, width, nil, &height, nil, nil)
  gtk_widget_allocate(entries, width, height, -1, nil)
}

/// Gives each entry its text as its name.
///
/// **Fault** (GTK 4.24): an entry is labelled by a label within it, and has no name for screen readers. GTK 4.8 has them
/// read both a name and the label.
///
/// **Workaround**: the name takes the place of the relation.
///
/// **It can go** when an entry of a menu has a name on every GTK.
@MainActor
private func nameEntries(in widget: UnsafeMutablePointer<GtkWidget>) {
  var next = gtk_widget_get_first_child(widget)
  while let child = next {
    next = gtk_widget_get_next_sibling(child)
    let entry = Widget(Owned(borrowing: child))
    let role = gtk_accessible_get_accessible_role(entry.opaque)
    if role == GTK_ACCESSIBLE_ROLE_MENU_ITEM || role == GTK_ACCESSIBLE_ROLE_MENU_ITEM_CHECKBOX,
      case .text(let text)? = entry[property: "text"]
    {
      gtk_accessible_reset_relation(entry.opaque, GTK_ACCESSIBLE_RELATION_LABELLED_BY)
      entry.setAccessibleName(text.withoutMnemonic)
    } else {
      nameEntries(in: child)
    }
  }
}
