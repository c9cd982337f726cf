import CGtk

/// A short list whose rows all exist at the same time.
@MainActor
public final class ListBox: Widget {
  private let clicks = Shared<[OpaquePointer: @MainActor () -> Void]>([:])

  /// Makes an empty list without selection.
  public convenience init() {
    self.init(new: gtk_list_box_new())
    gtk_list_box_set_selection_mode(opaque, GTK_SELECTION_NONE)
    // Do not capture `self`, which may be released before the list.
    connect("row-activated") { [clicks] (row: OpaquePointer) in clicks.value[row]?() }
  }

  /// Appends a row; a click anywhere on it calls `clicked`.
  ///
  /// The row's content gets the focus or, if `isFocusable` is true, the row itself.
  @discardableResult
  public func append(
    _ child: Widget, isFocusable: Bool = false, _ clicked: (@MainActor () -> Void)? = nil
  ) -> Widget {
    let row = Widget(new: gtk_list_box_row_new())
    gtk_list_box_row_set_child(row.cast(), child.widget)
    gtk_list_box_row_set_activatable(row.cast(), clicked == nil ? 0 : 1)
    row.isFocusable = isFocusable
    clicks.value[row.opaque] = clicked
    gtk_list_box_append(opaque, row.widget)
    return row
  }
}
