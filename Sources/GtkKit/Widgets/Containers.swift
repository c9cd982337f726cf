import CGtk

/// Widgets in a row or in a column.
@MainActor
public final class Box: Widget {
  /// Which way the children follow each other.
  public enum Direction {
    /// In reading direction, or downwards.
    case horizontal, vertical
  }

  /// Makes a box of these children, `spacing` pixels apart.
  public convenience init(_ direction: Direction, spacing: Int = 0, _ children: [Widget] = []) {
    let orientation = direction == .horizontal ? GTK_ORIENTATION_HORIZONTAL : GTK_ORIENTATION_VERTICAL
    self.init(new: gtk_box_new(orientation, gint(spacing)))
    children.forEach(append)
  }

  /// Adds a child at the end.
  public func append(_ child: Widget) { gtk_box_append(cast(), child.widget) }
}

/// Several pages, of which one is shown.
@MainActor
public final class Stack: Widget {
  /// Makes a stack without pages.
  public convenience init() {
    self.init(new: gtk_stack_new())
  }

  /// The name of the page that is shown; nil before there is one.
  public var shown: String? { gtk_stack_get_visible_child_name(opaque).map { String(cString: $0) } }

  /// Shows a page, which `make` builds the first time.
  public func show(_ name: String, make: () -> Widget) {
    if gtk_stack_get_child_by_name(opaque, name) == nil {
      let page = make()
      // Nobody else holds it until the stack does.
      withExtendedLifetime(page) { _ = gtk_stack_add_named(opaque, page.widget, name) }
    }
    gtk_stack_set_visible_child_name(opaque, name)
  }

  /// Lets go of all pages.
  public func removeAll() {
    while let child = gtk_widget_get_first_child(widget) { gtk_stack_remove(opaque, child) }
  }
}

/// A child that slides into view and out of it.
@MainActor
public final class Revealer: Widget {
  /// Makes a revealer that slides upwards into view; hidden at first.
  public convenience init(child: Widget) {
    self.init(new: gtk_revealer_new())
    gtk_revealer_set_child(opaque, child.widget)
    gtk_revealer_set_transition_type(opaque, GTK_REVEALER_TRANSITION_TYPE_SLIDE_UP)
  }

  /// Whether the child is shown.
  public var isRevealed: Bool {
    get { gtk_revealer_get_reveal_child(opaque) != 0 }
    set { gtk_revealer_set_reveal_child(opaque, newValue ? 1 : 0) }
  }
}

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

/// A view of something taller than the window.
@MainActor
public final class ScrolledWindow: Widget {
  /// Makes a view that scrolls up and down.
  ///
  /// A `ListView` has to be its direct child, or rows are not recycled.
  public convenience init(child: Widget) {
    self.init(new: gtk_scrolled_window_new())
    gtk_scrolled_window_set_policy(opaque, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
    gtk_scrolled_window_set_child(opaque, child.widget)
  }

  /// How far the view is scrolled down, in pixels.
  public var offset: Double {
    get { gtk_adjustment_get_value(adjustment) }
    set { gtk_adjustment_set_value(adjustment, newValue) }
  }

  private var adjustment: UnsafeMutablePointer<GtkAdjustment>? {
    gtk_scrolled_window_get_vadjustment(opaque)
  }
}

/// A short list of rows that are all there at once.
@MainActor
public final class ListBox: Widget {
  /// What a click on each row does.
  private let clicks = Shared<[UnsafeMutableRawPointer: @MainActor () -> Void]>([:])

  /// Makes a list without rows, in which nothing is selected.
  public convenience init() {
    self.init(new: gtk_list_box_new())
    gtk_list_box_set_selection_mode(opaque, GTK_SELECTION_NONE)
    // Without this view of the list, which may be gone before the list is.
    connectObject("row-activated") { [clicks] row in clicks.value[row]?() }
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
    clicks.value[row.raw] = clicked
    gtk_list_box_append(opaque, row.widget)
    return row
  }
}
