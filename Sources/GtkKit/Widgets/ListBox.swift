import CGtk

/// A short list of rows that are all there at once.
@MainActor
public final class ListBox: Widget {
  private let clicks = Clicks()

  /// Makes a list without rows, in which nothing is selected.
  public convenience init() {
    self.init(new: gtk_list_box_new())
    gtk_list_box_set_selection_mode(opaque, GTK_SELECTION_NONE)
    // Without this view of the list, which may be gone before the list is.
    connectObject("row-activated") { [clicks] row in clicks.bodies[row]?() }
  }

  /// Adds a row at the end, which calls when it is clicked anywhere.
  ///
  /// The focus goes to what is in the row, not to the row.
  /// - Returns: the row.
  @discardableResult
  public func append(_ child: Widget, _ clicked: (@MainActor () -> Void)? = nil) -> Widget {
    let row = Widget(new: gtk_list_box_row_new())
    gtk_list_box_row_set_child(row.cast(), child.widget)
    gtk_list_box_row_set_activatable(row.cast(), clicked == nil ? 0 : 1)
    gtk_widget_set_focusable(row.widget, 0)
    clicks.bodies[row.raw] = clicked
    gtk_list_box_append(opaque, row.widget)
    return row
  }
}

/// What a click on each row does.
@MainActor
private final class Clicks {
  var bodies: [UnsafeMutableRawPointer: @MainActor () -> Void] = [:]
}
