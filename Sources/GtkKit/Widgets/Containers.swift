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
  ///
  /// While it slides out of view, no Tab leads to it any more.
  public var isRevealed: Bool {
    get { gtk_revealer_get_reveal_child(opaque) != 0 }
    set {
      gtk_widget_set_can_focus(widget, newValue ? 1 : 0)
      gtk_revealer_set_reveal_child(opaque, newValue ? 1 : 0)
    }
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
