import CGtk

/// Disposes the text widgets within a new widget once they are no longer part of another widget.
///
/// **Fault** (GTK 4.24): a `GtkTextView` or `GtkText` retains itself, and is never released. The layout of a long text
/// takes up to 100 MiB.
///
/// **Workaround**: disposes the widget, which ends that reference.
///
/// **Remove it** when every supported version of GTK releases a text view.
@MainActor
func disposeTextsOnceAlone(within widget: UnsafeMutablePointer<GtkWidget>) {
  let object = Object(Owned(borrowing: widget))
  let types = [gtk_text_view_get_type(), gtk_text_get_type()]
  if types.contains(where: { copypasta_is_a(object.raw, $0) != 0 }) {
    object.connect("notify::parent") {
      guard gtk_widget_get_parent(widget) == nil else { return }
      let alone = Object(Owned(borrowing: widget))
      // Wait until its former parent no longer uses it.
      MainLoop.whenIdle {
        if gtk_widget_get_parent(widget) == nil { g_object_run_dispose(alone.cast()) }
      }
    }
  }
  var next = gtk_widget_get_first_child(widget)
  while let child = next {
    next = gtk_widget_get_next_sibling(child)
    disposeTextsOnceAlone(within: child)
  }
}
