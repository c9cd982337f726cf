import CGtk

/// Widgets in a row or in a column.
@MainActor
public final class Box: Widget {
  /// The axis along which the children are arranged.
  public enum Direction {
    /// In the reading direction, or downwards.
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

  /// Adds a child after `sibling`, or at the start if that is nil.
  public func insert(_ child: Widget, after sibling: Widget?) {
    gtk_box_insert_child_after(cast(), child.widget, sibling?.widget)
  }

  /// Removes a child.
  public func remove(_ child: Widget) { gtk_box_remove(cast(), child.widget) }
}

/// Several pages, of which one is visible.
@MainActor
public final class Stack: Widget {
  /// Makes a stack without pages.
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

  /// Removes all pages.
  public func removeAll() {
    while let child = gtk_widget_get_first_child(widget) { gtk_stack_remove(opaque, child) }
  }
}

/// A child that slides into view and out of it.
@MainActor
public final class Revealer: Widget {
  /// Makes a revealer that slides up into view; it is initially hidden.
  public convenience init(child: Widget? = nil) {
    self.init(new: gtk_revealer_new())
    if let child { setChild(child) }
    gtk_revealer_set_transition_type(opaque, GTK_REVEALER_TRANSITION_TYPE_SLIDE_UP)
  }

  /// Puts a widget into the revealer.
  public func setChild(_ child: Widget) { gtk_revealer_set_child(opaque, child.widget) }

  /// Makes the child slide down into view, from the upper edge.
  public func comeFromAbove() {
    gtk_revealer_set_transition_type(opaque, GTK_REVEALER_TRANSITION_TYPE_SLIDE_DOWN)
  }

  /// Whether the child is shown; while it slides out of view, it cannot get the focus.
  public var isRevealed: Bool {
    get { gtk_revealer_get_reveal_child(opaque) != 0 }
    set {
      gtk_widget_set_can_focus(widget, newValue ? 1 : 0)
      gtk_revealer_set_reveal_child(opaque, newValue ? 1 : 0)
    }
  }
}

/// A scrollable view of a widget.
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

  private var adjustment: UnsafeMutablePointer<GtkAdjustment>? {
    gtk_scrolled_window_get_vadjustment(opaque)
  }
}

// MARK: - Boxes with a custom layout

private typealias Child = UnsafeMutablePointer<GtkWidget>
private typealias Size = UnsafeMutablePointer<gint>
private typealias Extent = (minimum: gint, natural: gint)
private typealias Measure =
  @MainActor @convention(c) (Child?, GtkOrientation, gint, Size?, Size?, Size?, Size?) -> Void
private typealias Allocate = @MainActor @convention(c) (Child?, gint, gint, gint) -> Void

extension Widget {
  /// Makes a box whose height depends on its width; `measure` computes the box's size, `allocate` places the children.
  fileprivate convenience init(_ children: [Widget], measure: Measure, allocate: Allocate) {
    self.init(new: gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0))
    for child in children { gtk_box_append(cast(), child.widget) }
    let request: @MainActor @convention(c) (Child?) -> GtkSizeRequestMode = { _ in
      GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH
    }
    // The widget takes ownership of the layout manager.
    gtk_widget_set_layout_manager(
      widget,
      gtk_custom_layout_new(
        unsafeBitCast(request, to: GtkCustomRequestModeFunc.self),
        unsafeBitCast(measure, to: GtkCustomMeasureFunc.self),
        unsafeBitCast(allocate, to: GtkCustomAllocateFunc.self)))
  }
}

/// A width at which every text is on as few lines as possible, in pixels.
private let unlimited: gint = 1 << 15

@MainActor
private func extent(of child: Child?, _ orientation: GtkOrientation, for other: gint = -1) -> Extent {
  var (minimum, natural): Extent = (0, 0)
  gtk_widget_measure(child, orientation, other, &minimum, &natural, nil, nil)
  return (minimum, natural)
}

/// A box as high as its text; if there is not enough room, the pointer or the keyboard can scroll the text.
@MainActor
public final class ScrollingBox: Widget {
  /// Makes a box around a text, which wraps to the available width.
  public convenience init(_ label: Label) {
    let scrolled = ScrolledWindow(child: label)
    scrolled.isFocusable = true
    scrolled.setLabelledBy(label)
    self.init(scrolled)
  }

  /// Makes a box around `scrolled`, as high as its content at the available width.
  public convenience init(_ scrolled: ScrolledWindow) {
    self.init([scrolled]) { box, orientation, width, minimum, natural, _, _ in
      guard let scrolled = gtk_widget_get_first_child(box) else { return }
      let isHeight = orientation == GTK_ORIENTATION_VERTICAL
      // Measure the width without a height, which may be less than a scrolled window's minimum height.
      var size = extent(of: scrolled, orientation, for: isHeight ? width : -1)
      // Use the content's natural size: a scrolled window requests only its longest word's width and one line's height.
      let content = gtk_scrolled_window_get_child(OpaquePointer(scrolled))
      size.natural = extent(of: content, orientation, for: isHeight ? width : -1).natural
      if isHeight {
        // If GTK passes no width, it expects the smallest height that any width gives.
        let least = width < 0 ? extent(of: content, orientation, for: unlimited).natural : size.natural
        size.minimum = min(size.minimum, least)
      }
      size.natural = max(size.minimum, size.natural)
      minimum?.pointee = size.minimum
      natural?.pointee = size.natural
    } allocate: { box, width, height, line in
      let scrolled = gtk_widget_get_first_child(box)
      // Hide the scrolled window if the box has no height, which is less than its scroll bar's minimum height.
      gtk_widget_set_child_visible(scrolled, height > 0 ? 1 : 0)
      if height > 0 { gtk_widget_allocate(scrolled, width, height, line, nil) }
    }
  }
}

/// A box that hides its child if there is not enough room for it.
@MainActor
public final class Squeezer: Widget {
  /// Makes a box that requests its child's natural size, and has a minimum size of 0.
  public convenience init(_ child: Widget) {
    self.init([child]) { box, orientation, width, minimum, natural, _, _ in
      let child = gtk_widget_get_first_child(box)
      let isWidth = orientation == GTK_ORIENTATION_HORIZONTAL
      let least = extent(of: child, GTK_ORIENTATION_HORIZONTAL).minimum
      // A hidden child needs no height.
      guard isWidth || width < 0 || width >= least else { return }
      natural?.pointee = extent(of: child, orientation, for: isWidth ? -1 : width).natural
    } allocate: { box, width, height, _ in
      let child = gtk_widget_get_first_child(box)
      let isWhole = width >= extent(of: child, GTK_ORIENTATION_HORIZONTAL).minimum
      gtk_widget_set_child_visible(child, isWhole ? 1 : 0)
      if isWhole { gtk_widget_allocate(child, width, height, -1, nil) }
    }
  }
}

/// A box that shrinks its child to the child's minimum width while a `Squeezer` in the child hides something.
@MainActor
public final class ShrinkingBox: Widget {
  /// Makes a box around `child`; `squeezed` is what the `Squeezer` may hide.
  public convenience init(_ child: Widget, whileHidden squeezed: Widget) {
    self.init([child]) { box, orientation, other, minimum, natural, _, _ in
      let size = extent(of: gtk_widget_get_first_child(box), orientation, for: other)
      minimum?.pointee = size.minimum
      natural?.pointee = size.natural
    } allocate: { box, width, height, _ in
      let child = gtk_widget_get_first_child(box)
      gtk_widget_allocate(child, width, height, -1, nil)
      let squeezed = g_object_get_data(
        UnsafeMutableRawPointer(box)?.assumingMemoryBound(to: GObject.self), squeezedKey)
      let isWhole = gtk_widget_get_child_visible(squeezed?.assumingMemoryBound(to: GtkWidget.self)) != 0
      guard !isWhole else { return }
      let own = extent(of: child, GTK_ORIENTATION_HORIZONTAL).minimum
      let isMirrored = gtk_widget_get_direction(box) == GTK_TEXT_DIR_RTL
      var area = GdkRectangle(x: isMirrored ? width - own : 0, y: 0, width: own, height: height)
      gtk_widget_size_allocate(child, &area, -1)
    }
    g_object_set_data(cast(), squeezedKey, squeezed.widget)
  }
}

private let squeezedKey = "copypasta-squeezed"

/// A scrollable view with a footer; the footer is shown only if the view's content leaves room for it.
@MainActor
public final class FootedBox: Widget {
  /// Requests the size of `view` alone; `foot` gets only room that `view` does not need.
  public convenience init(_ view: ScrolledWindow, foot: Widget) {
    self.init([view, foot]) { box, orientation, other, minimum, natural, _, _ in
      let size = extent(of: gtk_widget_get_first_child(box), orientation, for: other)
      minimum?.pointee = size.minimum
      natural?.pointee = size.natural
    } allocate: { box, width, height, _ in
      guard let view = gtk_widget_get_first_child(box) else { return }
      let foot = gtk_widget_get_next_sibling(view)
      var own: gint = 0
      if gtk_widget_get_visible(foot) != 0 {
        let content = gtk_scrolled_window_get_child(OpaquePointer(view))
        own = extent(of: foot, GTK_ORIENTATION_VERTICAL, for: width).natural
        // Add a quarter, because a list view requests less height than its rows take if the rows have margins.
        let needed = extent(of: content, GTK_ORIENTATION_VERTICAL, for: width).natural * 5 / 4
        if needed + own > height { own = 0 }
        gtk_widget_set_child_visible(foot, own > 0 ? 1 : 0)
        var area = GdkRectangle(x: 0, y: height - own, width: width, height: own)
        if own > 0 { gtk_widget_size_allocate(foot, &area, -1) }
      }
      gtk_widget_allocate(view, width, height - own, -1, nil)
    }
  }
}

/// A text with a maximum width and, optionally, a note at the end of its first line and a badge in the padding.
///
/// The maximum width is only the requested width, so set `align`; otherwise a wider container makes the text wider. The
/// text, the note and the badge share a baseline.
@MainActor
public final class AnnotatedText: Widget {
  /// The width of the space for the badge, in pixels.
  private static let badgeWidth: gint = 24
  private static let leastWidth: gint = 100
  private static let spacing: gint = 12
  /// The length of most notes, in characters; a shorter note gets this width, too, so that most texts are equally wide.
  private static let usualNoteLength: gint = 8
  private static let widthKey = "copypasta-width"

  /// Makes a box of a text and its note.
  ///
  /// The note gets its natural width, at most half of the box. A short note gets the width of most notes, at most a
  /// quarter of the box.
  public convenience init(_ text: Widget, note: Widget? = nil, width: Int) {
    self.init([text, note].compactMap(\.self)) { box, orientation, width, minimum, natural, _, _ in
      let limit = AnnotatedText.limit(of: box)
      guard orientation == GTK_ORIENTATION_VERTICAL else {
        // Do not measure the text: it wraps or is ellipsized at any width, and measuring is as expensive as a layout.
        minimum?.pointee = AnnotatedText.leastWidth
        natural?.pointee = limit
        return
      }
      // A list also asks for the height without a width. Nothing depends on the answer, and measuring would lay out the
      // text once more.
      guard width >= 0 else { return }
      let (text, note, _) = AnnotatedText.children(of: box)
      let width = min(width, limit)
      let reserved = AnnotatedText.reservedWidth(for: note, within: width)
      let height = extent(of: text, orientation, for: width - reserved)
      minimum?.pointee = height.minimum
      natural?.pointee = height.natural
    } allocate: { box, width, height, _ in
      AnnotatedText.layOut(box, width: width, height: height)
    }
    g_object_set_data(cast(), Self.widthKey, UnsafeMutableRawPointer(bitPattern: width))
  }

  /// Adds the badge; the box must have a note.
  public func append(_ badge: Widget) { gtk_box_append(cast(), badge.widget) }

  private static func limit(of box: Child?) -> gint {
    gint(
      Int(
        bitPattern: g_object_get_data(
          UnsafeMutableRawPointer(box)?.assumingMemoryBound(to: GObject.self), widthKey)))
  }

  private static func children(of box: Child?) -> (text: Child?, note: Child?, badge: Child?) {
    let text = gtk_widget_get_first_child(box)
    let note = gtk_widget_get_next_sibling(text)
    return (text, note, note.flatMap { gtk_widget_get_next_sibling($0) })
  }

  /// The width of the note and of the space before it.
  private static func reservedWidth(for note: Child?, within width: gint) -> gint {
    guard let note else { return 0 }
    let natural = extent(of: note, GTK_ORIENTATION_HORIZONTAL).natural
    // Do not compute the usual width if it would not matter.
    let own = natural < width / 4 ? max(natural, min(usualNoteWidth(of: note), width / 4)) : natural
    return min(own, width / 2) + spacing
  }

  private static func usualNoteWidth(of note: UnsafeMutablePointer<GtkWidget>) -> gint {
    let metrics = pango_context_get_metrics(gtk_widget_get_pango_context(note), nil, nil)
    defer { pango_font_metrics_unref(metrics) }
    let widest = max(
      pango_font_metrics_get_approximate_char_width(metrics),
      pango_font_metrics_get_approximate_digit_width(metrics))
    return usualNoteLength * widest / PANGO_SCALE
  }

  private static func layOut(_ box: Child?, width: gint, height: gint) {
    let isMirrored = gtk_widget_get_direction(box) == GTK_TEXT_DIR_RTL
    func allocate(_ child: Child?, x: gint, y: gint, width own: gint, height: gint) {
      var area = GdkRectangle(x: isMirrored ? width - x - own : x, y: y, width: own, height: height)
      gtk_widget_size_allocate(child, &area, -1)
    }
    let (text, note, badge) = children(of: box)
    let reserved = reservedWidth(for: note, within: width)
    allocate(text, x: 0, y: 0, width: width - reserved, height: height)
    guard let note else { return }
    let baseline = firstLine(of: text, inWidth: width - reserved).baseline
    func allocate(_ child: Child?, x: gint, width: gint) {
      let own = firstLine(of: child, inWidth: width)
      allocate(child, x: x, y: max(baseline - own.baseline, 0), width: width, height: own.height)
    }
    allocate(note, x: width - reserved + spacing, width: reserved - spacing)
    guard let badge else { return }
    // The padding is 1.5 times `badgeWidth` wide. Centre the badge in the outer two thirds of the padding.
    let own = extent(of: badge, GTK_ORIENTATION_HORIZONTAL).minimum
    allocate(badge, x: width + badgeWidth - own / 2, width: own)
  }

  /// The natural height of a label, and the baseline of its first line.
  private static func firstLine(of label: Child?, inWidth width: gint) -> (height: gint, baseline: gint) {
    var (natural, baseline): (gint, gint) = (0, 0)
    gtk_widget_measure(label, GTK_ORIENTATION_VERTICAL, width, nil, &natural, nil, &baseline)
    return (natural, baseline)
  }
}

/// Two widgets side by side, or one above the other if there is not enough room.
///
/// Side by side, the second widget gets at most half of the width, or what the first does not need; if it expands, it
/// gets the same width as the first.
@MainActor
public final class ReflowingBox: Widget {
  private static let (horizontalSpacing, verticalSpacing): (gint, gint) = (12, 6)

  /// Places `second` at the end of the line; `first` gets the remaining width.
  public convenience init(_ first: Widget, _ second: Widget) {
    self.init([first, second]) { box, orientation, width, minimum, natural, _, _ in
      let isWidth = orientation == GTK_ORIENTATION_HORIZONTAL
      let size = isWidth ? ReflowingBox.width(of: box) : ReflowingBox.height(of: box, inWidth: width)
      minimum?.pointee = size.minimum
      natural?.pointee = size.natural
    } allocate: { box, width, height, _ in
      ReflowingBox.layOut(box, width: width, height: height)
    }
  }

  private static func children(of box: Child?) -> (first: Child?, second: Child?) {
    let first = gtk_widget_get_first_child(box)
    return (first, gtk_widget_get_next_sibling(first))
  }

  private static func width(of box: Child?) -> Extent {
    let (first, second) = children(of: box)
    let (one, two) = (
      extent(of: first, GTK_ORIENTATION_HORIZONTAL), extent(of: second, GTK_ORIENTATION_HORIZONTAL)
    )
    let widest = max(one.natural, two.natural)
    let natural = isWide(second) ? 2 * widest : one.natural + two.natural
    return (max(one.minimum, two.minimum), natural + horizontalSpacing)
  }

  /// Returns the widths of both widgets if they are side by side; nil if they do not fit.
  private static func widthsInLine(_ first: Child?, _ second: Child?, within width: gint) -> (gint, gint)? {
    let own = extent(of: second, GTK_ORIENTATION_HORIZONTAL).natural
    let end = isWide(second) ? (width - horizontalSpacing) / 2 : own
    let start = width - horizontalSpacing - end
    let needed = extent(of: first, GTK_ORIENTATION_HORIZONTAL)
    let isRoom = end >= own && start >= min(max(end, needed.minimum), needed.natural)
    return isRoom ? (start, end) : nil
  }

  private static func isWide(_ second: Child?) -> Bool {
    gtk_widget_compute_expand(second, GTK_ORIENTATION_HORIZONTAL) != 0
  }

  private static func height(of box: Child?, inWidth width: gint) -> Extent {
    let (first, second) = children(of: box)
    let width = width < 0 ? self.width(of: box).natural : width
    func height(_ child: Child?, _ width: gint) -> Extent {
      extent(of: child, GTK_ORIENTATION_VERTICAL, for: width)
    }
    if let (start, end) = widthsInLine(first, second, within: width) {
      let (one, two) = (height(first, start), height(second, end))
      return (max(one.minimum, two.minimum), max(one.natural, two.natural))
    }
    let (one, two) = (height(first, width), height(second, width))
    return (one.minimum + verticalSpacing + two.minimum, one.natural + verticalSpacing + two.natural)
  }

  private static func layOut(_ box: Child?, width: gint, height: gint) {
    let (first, second) = children(of: box)
    let isMirrored = gtk_widget_get_direction(box) == GTK_TEXT_DIR_RTL
    func allocate(_ child: Child?, x: gint, y: gint, width own: gint, height: gint) {
      var area = GdkRectangle(x: isMirrored ? width - x - own : x, y: y, width: own, height: height)
      gtk_widget_size_allocate(child, &area, -1)
    }
    if let (start, end) = widthsInLine(first, second, within: width) {
      allocate(first, x: 0, y: 0, width: start, height: height)
      allocate(second, x: width - end, y: 0, width: end, height: height)
    } else {
      let own = isWide(second) ? width : min(extent(of: second, GTK_ORIENTATION_HORIZONTAL).natural, width)
      let below = extent(of: second, GTK_ORIENTATION_VERTICAL, for: own).natural
      allocate(first, x: 0, y: 0, width: width, height: height - verticalSpacing - below)
      allocate(second, x: width - own, y: height - below, width: own, height: below)
    }
  }
}
