import CGtk

/// A row widget of a `ListView`, which GTK reuses for several positions of the model.
@MainActor
public struct ListItem {
  fileprivate let item: OpaquePointer

  /// The position in the model; nil while the item is not bound.
  public var position: Int? {
    let position = gtk_list_item_get_position(item)
    return position == GTK_INVALID_LIST_POSITION ? nil : Int(position)
  }
}

/// The view for a row of a `ListView`: created once, then bound to one value after another.
@MainActor
public protocol ListRow: AnyObject {
  var root: Widget { get }
  /// The id of the item that the row shows; nil while it shows none.
  var id: Int64? { get }
  /// Shows a value.
  ///
  /// `container` is the widget that the list puts around `root`; it has the focus and the accessible name.
  func bind(_ value: any Sendable, in container: Widget)
  /// Clears the view, until the next `bind`.
  func unbind()
  /// Called after a change of the model, which may have moved the row, and after a change of the focus.
  func placeChanged()
}

/// A list that creates views only for the visible rows and for rows near them.
///
/// If the focused row is removed, its neighbour gets the focus.
@MainActor
public final class ListView<Row: ListRow>: Widget {
  private var rows: [OpaquePointer: Row] = [:]
  /// The item of the focused row that the model is replacing.
  private var replacedFocus: Int64?
  private var update: Timeout?

  public convenience init(model: ListModel, make: @escaping @MainActor (ListItem) -> Row) {
    let factory = gtk_signal_list_item_factory_new()
    // The view takes ownership of the reference.
    self.init(new: gtk_list_view_new(nil, factory))
    connect(factory: Object(Owned(borrowing: factory)), to: model, make)
    // GTK's list view loses track of the focus when rows change, so connect a handler before the view's own handler and
    // another after it.
    model.onItemsChanged { [weak self] position, removed, added in
      guard let self else { return }
      keepScrollPosition(at: position, removed: removed, added: added)
      let isReplaced = focusedPosition.map { position..<position + removed ~= $0 } ?? false
      replacedFocus = isReplaced ? focusedRow?.id : nil
    }
    let selection = Object(Owned(taking: gtk_no_selection_new(OpaquePointer(g_object_ref(model.raw)))))
    gtk_list_view_set_model(opaque, selection.opaque)
    model.onItemsChanged { [weak self, weak model] position, _, added in
      guard let self else { return }
      if let id = replacedFocus, itemCount > 0 {
        // Update the rows before one of them gets the focus, because screen readers announce what they show then.
        for row in rows.values { row.placeChanged() }
        // The row may still be there, because many removals are reported as one change.
        let near = model?.position(near: id) ?? position
        focus(min(max(near, position), position + added, itemCount - 1))
      }
      updateRows()
    }
    connectOnce("realize") { [weak self] in
      guard let self, let root = gtk_widget_get_root(widget) else { return }
      Object(Owned(borrowing: root)).connect("notify::focus-widget") { [weak self] in self?.updateRows() }
    }
  }

  /// An item that was pressed, and the area of its row at the press.
  private typealias Press = (id: Int64, area: Rectangle)

  private func press(at point: Point) -> Press? {
    for row in rows.values {
      if let id = row.id, let area = area(of: row), area.contains(point) { return (id, area) }
    }
    return nil
  }

  /// Calls `body` with the id of the item that was pressed, and the point of the release.
  ///
  /// The press may activate the window, which inserts a row and moves the others before the release. A release outside
  /// the area that the row had at the press has no effect.
  ///
  /// This replaces GTK's activation by single click, which ignores the second of two quick clicks on a row, even if
  /// another row was clicked in between. On a double click, GTK still claims the second click and activates the row, so
  /// `body` is called only for the first click.
  public func onRowClick(
    _ button: PointerButton, _ body: @escaping @MainActor (_ id: Int64, _ point: Point) -> Void
  ) {
    onClick(button) { [weak self] in
      self?.press(at: $0)
    } _: { press, point in
      if press.area.contains(point) { body(press.id, point) }
    }
  }

  /// Calls `body` after a long press with a finger, with the id of the item that was touched.
  public func onRowLongPress(_ body: @escaping @MainActor (_ id: Int64, _ point: Point) -> Void) {
    onLongPress { [weak self] in
      self?.press(at: $0)?.id
    } _: {
      body($0, $1)
    }
  }

  /// Reports swipes over rows; `start` gets the id of the item that the fingers have touched.
  public func onRowSwipe(_ start: @escaping @MainActor (_ id: Int64) -> (any Swipe)?) {
    onSwipe { [weak self] in (self?.press(at: $0)?.id).flatMap(start) }
  }

  /// Calls `body` with a row's position when the row is activated with Enter or a double click.
  public func onActivate(_ body: @escaping @MainActor (Int) -> Void) {
    connect("activate") { (position: guint) in body(Int(position)) }
  }

  /// All views that exist, in no particular order; some may be unbound.
  public var rowViews: some Sequence<Row> { rows.values }

  public func row(at position: Int) -> Row? {
    rows.first { ListItem(item: $0.key).position == position }?.value
  }

  /// The row that has the focus, or contains the focused widget.
  ///
  /// This queries the window, because a row that was just removed may still have the focus flag.
  public var focusedRow: Row? { focused?.row }

  private var focusedPosition: Int? { focused.flatMap { ListItem(item: $0.item).position } }

  private var focused: (item: OpaquePointer, row: Row)? {
    guard let root = gtk_widget_get_root(widget), let focused = gtk_root_get_focus(root) else { return nil }
    return rows.first { _, row in
      guard let container = gtk_widget_get_parent(row.root.widget) else { return false }
      return container == focused || gtk_widget_is_ancestor(focused, container) != 0
    }.map { (item: $0.key, row: $0.value) }
  }

  public func row(of id: Int64) -> Row? { rows.values.first { $0.id == id } }

  /// The area of a row, including the margin at its sides; nil if the row is not on the screen.
  private func area(of row: Row) -> Rectangle? {
    guard row.root.isMapped, var area = row.root.bounds(in: self) else { return nil }
    area.x -= Self.margin
    area.width += 2 * Self.margin
    return area
  }

  /// The width of the margin at a row's sides, in pixels.
  private static var margin: Double { 12 }

  public func scroll(to position: Int) {
    activate(action: "list.scroll-to-item", with: .uint32(UInt32(position)))
  }

  /// Scrolls a row into view and moves the focus to it; returns false if the row does not exist.
  @discardableResult
  public func focus(_ position: Int) -> Bool {
    if anchor != nil { showsFocus = true }
    if let scrollTo = RuntimeSymbols.listViewScrollTo {
      // Since 4.12 a list creates and moves its rows only later, so only GTK knows which widget will show a position.
      guard position < itemCount else { return false }
      scrollTo(opaque, guint(position), RuntimeSymbols.listScrollFocus, nil)
      // `scrollTo` moves the focus only within the list. If the focus is outside, focusing the list moves it to that
      // row.
      return grabFocus()
    }
    scroll(to: position)
    guard let row = row(at: position), let container = gtk_widget_get_parent(row.root.widget) else {
      return false
    }
    return gtk_widget_grab_focus(container) != 0
  }

  // MARK: - Scroll position

  /// The row that the next layout keeps in place: its position, and its upper edge in the view.
  ///
  /// It is in the middle of the candidates, because it must still be on the screen after GTK's own layout.
  private var anchor: (position: Int, y: Double)?
  /// Whether items were added or removed since the anchor was chosen first.
  private var isAnchorOfChange = false
  /// Whether the next layout must show the focused row: it was visible before, replaces a removed row, or was focused
  /// after the change.
  private var showsFocus = false

  /// Keeps the visible rows in place when the height of the view or of its rows changes.
  ///
  /// By default, the scroll position determines the row that GTK keeps in place: in a list scrolled to a third of its
  /// length, the row at a third of the view's height.
  public func keepScrollPosition() {
    let seen = seenRows
    if anchor == nil, !seen.isEmpty {
      showsFocus = isFocusSeen
      (anchor, isAnchorOfChange) = (seen[seen.count / 2], false)
    }
    restoreScrollPositionAfterLayout()
  }

  /// Keeps a visible row above a change in place; one below the change if there is none above.
  private func keepScrollPosition(at position: Int, removed: Int, added: Int) {
    guard isMapped else { return }
    let end = position + removed
    // Rows added at the end of an unscrolled list, for example at startup, do not move others.
    if removed == 0, offset <= 0, position > 0, position + added == itemCount { return }
    let isFocused = focusedPosition.map { position..<end ~= $0 } ?? false
    let seen = isAnchorOfChange ? anchor.map { [$0] } ?? seenRows : seenRows
    guard let top = seen.first else { return }
    showsFocus = isFocused || (anchor == nil ? isFocusSeen : showsFocus)
    isAnchorOfChange = true
    if removed == 0, offset <= 0 {
      // An unscrolled list stays so; rows added at the top appear.
      if anchor == nil, position == 0 { showsFocus = false }
      anchor = (0, 0)
    } else if end <= top.position {
      let kept = seen[seen.count / 2]
      anchor = (kept.position - removed + added, kept.y)
    } else if position <= top.position {
      // The row after the removed rows takes the place of the topmost row.
      anchor = (position + added, max(top.y, 0))
    } else {
      let above = seen.prefix { $0.position < position }
      anchor = above[above.count / 2]
    }
    restoreScrollPositionAfterLayout()
  }

  /// The visible rows, from the top.
  ///
  /// GTK also maps the focused row, at its last known position, even if it is far away from the others. Since 4.12 it
  /// does not move rows that a layout scrolls out of view, so they overlap other rows. Therefore only the longest run
  /// of adjacent rows counts as visible.
  private var seenRows: [(position: Int, y: Double)] {
    let height = Double(gtk_widget_get_height(widget))
    let mapped = rows.compactMap { item, row -> (position: Int, y: Double, end: Double)? in
      guard let position = ListItem(item: item).position, row.root.isMapped,
        let bounds = row.root.bounds(in: self), bounds.y + bounds.height > 0, bounds.y < height
      else { return nil }
      return (position, bounds.y, bounds.y + bounds.height)
    }.sorted { $0.position < $1.position }
    var runs: [[(position: Int, y: Double, end: Double)]] = []
    for row in mapped {
      if let last = runs.last?.last, last.position + 1 == row.position, abs(last.end - row.y) < 1 {
        runs[runs.count - 1].append(row)
      } else {
        runs.append([row])
      }
    }
    let longest = runs.max { $0.count < $1.count } ?? []
    return longest.map { ($0.position, $0.y) }
  }

  private func restoreScrollPositionAfterLayout() {
    guard anchor != nil, let clock = gtk_widget_get_frame_clock(widget) else { return anchor = nil }
    // Run after GTK's own layout and before drawing; GTK repeats the layout for changes made here.
    Object(Owned(borrowing: clock)).connectOnce("layout") { [weak self] in self?.restoreScrollPosition() }
    gdk_frame_clock_request_phase(clock, copypasta_GDK_FRAME_CLOCK_PHASE_LAYOUT)
  }

  private func restoreScrollPosition() {
    guard let anchor, let now = row(at: anchor.position)?.root.bounds(in: self) else {
      return self.anchor = nil
    }
    self.anchor = nil
    var distance = now.y - anchor.y
    // The focused row must stay visible, even if other rows have to move.
    if showsFocus, let focus = focusedRow?.root.bounds(in: self) {
      let height = Double(gtk_widget_get_height(widget))
      distance = min(max(distance, focus.y + focus.height - height), focus.y)
    }
    if abs(distance) >= 1 { offset += distance }
  }

  private var isFocusSeen: Bool {
    guard let position = focusedPosition else { return false }
    return seenRows.contains { $0.position == position }
  }

  private var offset: Double {
    get { gtk_adjustment_get_value(gtk_scrollable_get_vadjustment(opaque)) }
    set { gtk_adjustment_set_value(gtk_scrollable_get_vadjustment(opaque), newValue) }
  }

  private var itemCount: Int {
    guard let model = gtk_list_view_get_model(opaque) else { return 0 }
    return Int(g_list_model_get_n_items(model))
  }

  /// Makes Tab leave the list, because there may be a million rows; the arrow keys reach them.
  public func leaveByTab() {
    // Since 4.12, GTK has a property for this.
    if self[property: "tab-behavior"] != nil {
      self[property: "tab-behavior"] = .number(1)
      return
    }
    for (key, direction) in [("Tab", GTK_DIR_TAB_FORWARD), ("<Shift>Tab", GTK_DIR_TAB_BACKWARD)] {
      onKeys([key]) { [weak self] in self?.moveFocusOut(direction) ?? false }
    }
  }

  private func moveFocusOut(_ direction: GtkDirectionType) -> Bool {
    guard let root = gtk_widget_get_root(widget) else { return false }
    // Exclude the list, because GTK's search for the next widget to focus starts at the focused row.
    gtk_widget_set_can_focus(widget, 0)
    defer { gtk_widget_set_can_focus(widget, 1) }
    let window = UnsafeMutableRawPointer(root).assumingMemoryBound(to: GtkWidget.self)
    return gtk_widget_child_focus(window, direction) != 0
  }

  private func connect(
    factory: Object, to model: ListModel, _ make: @escaping @MainActor (ListItem) -> Row
  ) {
    factory.connect("setup") { [weak self] (item: OpaquePointer) in
      let row = make(ListItem(item: item))
      self?.rows[item] = row
      gtk_list_item_set_child(item, row.root.widget)
    }
    factory.connect("bind") { [weak self] (item: OpaquePointer) in
      guard let row = self?.rows[item], let position = ListItem(item: item).position,
        let value = model.value(at: position),
        let container = gtk_widget_get_parent(row.root.widget)
      else { return }
      row.bind(value, in: Widget(Owned(borrowing: container)))
      self?.updateRows()
    }
    factory.connect("unbind") { [weak self] (item: OpaquePointer) in self?.rows[item]?.unbind() }
    factory.connect("teardown") { [weak self] (item: OpaquePointer) in self?.rows[item] = nil }
  }

  /// Updates the rows for screen readers once GTK has completed a change of the rows or the focus.
  ///
  /// Keeps screen readers from announcing each row as "not selected", because rows cannot be selected; GTK sets that
  /// state whenever a row changes.
  private func updateRows() {
    guard update == nil else { return }
    update = Timeout(after: .zero) { [weak self] in
      guard let self else { return }
      update = nil
      for row in rows.values {
        row.placeChanged()
        guard let container = gtk_widget_get_parent(row.root.widget) else { continue }
        gtk_accessible_reset_state(
          Object(Owned(borrowing: container)).opaque, GTK_ACCESSIBLE_STATE_SELECTED)
      }
    }
  }
}
