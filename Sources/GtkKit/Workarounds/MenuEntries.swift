import CGtk

/// Creates a popover for a menu, and gives its entries names for screen readers (transfer floating).
@MainActor
func makePopover(of menu: Menu) -> UnsafeMutablePointer<GtkWidget>? {
  guard let popover = gtk_popover_menu_new_from_model(menu.cast()) else { return nil }
  labelKeys(in: popover)
  let map: @MainActor @convention(c) (UnsafeMutablePointer<GtkWidget>, gpointer?) -> Void = { popover, _ in
    nameEntries(in: popover)
    layOutEntries(of: popover)
  }
  // Wait until the popover is mapped, because GTK sets the entries' accessible relations again when it adds the popover
  // to a window.
  g_signal_connect_data(
    popover, "map", unsafeBitCast(map, to: GCallback.self), nil, nil, GConnectFlags(rawValue: 0))
  return popover
}

/// Lays out the entries of a menu before its first frame.
///
/// **Fault** (GTK 4.8 to 4.24): an arrow key selects the next entry by its position. If the key is pressed before the
/// first frame, for example on a slow machine, GTK finds no entry below the current entry, and starts at the top again.
///
/// **Workaround**: lays out the entries when the popover is mapped, while the popover itself waits for its surface's
/// size.
///
/// **Remove it** when GTK lays out a popover before it accepts keys.
@MainActor
private func layOutEntries(of popover: UnsafeMutablePointer<GtkWidget>) {
  guard let entries = gtk_popover_get_child(Widget(Owned(borrowing: popover)).cast()) else { return }
  var (width, height): (gint, gint) = (0, 0)
  gtk_widget_measure(entries, GTK_ORIENTATION_HORIZONTAL, -1, nil, &width, nil, nil)
  gtk_widget_measure(entries, GTK_ORIENTATION_VERTICAL, width, nil, &height, nil, nil)
  gtk_widget_allocate(entries, width, height, -1, nil)
}

/// Uses each entry's text as its name for screen readers.
///
/// **Fault** (GTK 4.24): GTK labels an entry with a label inside the entry, so screen readers find no name. With GTK
/// 4.8 they read both a name and the label.
///
/// **Workaround**: replaces the labelled-by relation with a name.
///
/// **Remove it** when menu entries have a name in every supported version of GTK.
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

/// Shows the keys of entries with the same words as everywhere else in the program; GTK calls the Enter key “Return”.
///
/// Call this before the menu is measured.
@MainActor
func labelKeys(in widget: UnsafeMutablePointer<GtkWidget>) {
  var next = gtk_widget_get_first_child(widget)
  while let child = next {
    next = gtk_widget_get_next_sibling(child)
    if String(cString: gtk_widget_get_css_name(child)) == "accelerator",
      case .text(let keys)? = Widget(Owned(borrowing: widget))[property: "accel"],
      let label = Accelerator(keys)?.label
    {
      gtk_label_set_text(OpaquePointer(child), label)
    } else {
      labelKeys(in: child)
    }
  }
}
