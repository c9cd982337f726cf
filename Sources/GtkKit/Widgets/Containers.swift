import CGtk

@MainActor
public final class Box: Widget {
  public enum Direction {
    case horizontal, vertical
  }

  /// Makes a box of these children, `spacing` pixels apart.
  public convenience init(_ direction: Direction, spacing: Int = 0, _ children: [Widget] = []) {
    let orientation = direction == .horizontal ? GTK_ORIENTATION_HORIZONTAL : GTK_ORIENTATION_VERTICAL
    self.init(new: gtk_box_new(orientation, gint(spacing)))
    children.forEach(append)
  }

  public func append(_ child: Widget) { gtk_box_append(cast(), child.widget) }

  /// Adds a child after `sibling`, or at the start if that is nil.
  public func insert(_ child: Widget, after sibling: Widget?) {
    gtk_box_insert_child_after(cast(), child.widget, sibling?.widget)
  }

  public func remove(_ child: Widget) { gtk_box_remove(cast(), child.widget) }
}

@MainActor
public final class Stack: Widget {
  public convenience init() {
    self.init(new: gtk_stack_new())
  }

  /// The name of the visible page; nil before a page was shown.
  public var shown: String? { gtk_stack_get_visible_child_name(opaque).map { String(cString: $0) } }

  /// Shows a page; `make` creates it the first time.
  public func show(_ name: String, make: () -> Widget) {
    if gtk_stack_get_child_by_name(opaque, name) == nil {
      let page = make()
      // Extend the page's lifetime until the stack has its own reference.
      withExtendedLifetime(page) { _ = gtk_stack_add_named(opaque, page.widget, name) }
    }
    gtk_stack_set_visible_child_name(opaque, name)
  }

  public func removeAll() {
    while let child = gtk_widget_get_first_child(widget) { gtk_stack_remove(opaque, child) }
  }
}

@MainActor
public final class ScrolledWindow: Widget {
  /// Makes a view that scrolls vertically.
  ///
  /// A `ListView` must be its direct child; otherwise rows are not recycled.
  public convenience init(child: Widget) {
    self.init(new: gtk_scrolled_window_new())
    gtk_scrolled_window_set_policy(opaque, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
    gtk_scrolled_window_set_child(opaque, child.widget)
  }

  /// The vertical scroll position, in pixels.
  public var offset: Double {
    get { gtk_adjustment_get_value(adjustment) }
    set { gtk_adjustment_set_value(adjustment, newValue) }
  }

  /// Calls `body` when the view is scrolled, whether by the user or by the program.
  public func onScroll(_ body: @escaping @MainActor () -> Void) {
    Object(Owned(borrowing: adjustment)).connect("value-changed", body)
  }

  /// Keeps the descendant that has the focus in view also when the content or the view changes its size.
  ///
  /// GTK scrolls only when the focus moves, which may be before the layout of new content.
  public func keepFocusInView() {
    let scroll = Shared<Timeout?>(nil)
    Object(Owned(borrowing: adjustment)).connect("changed") { [pointer = opaque] in
      // Scroll later, because nothing may change the layout during a layout.
      scroll.value = Timeout(after: .zero) { ScrolledWindow(Owned(borrowing: pointer)).scrollToFocus() }
    }
  }

  private func scrollToFocus() {
    guard let root = gtk_widget_get_root(widget), let focus = gtk_root_get_focus(root),
      gtk_widget_is_ancestor(focus, widget) != 0, let frame = Widget(Owned(borrowing: focus)).bounds(in: self)
    else { return }
    let page = gtk_adjustment_get_page_size(adjustment)
    // Unlike `gtk_adjustment_clamp_page`, setting the value ends GTK's own animation to the place without a layout.
    offset = min(max(offset, offset + frame.y + frame.height - page), offset + frame.y)
  }

  private var adjustment: UnsafeMutablePointer<GtkAdjustment>? {
    gtk_scrolled_window_get_vadjustment(opaque)
  }
}
