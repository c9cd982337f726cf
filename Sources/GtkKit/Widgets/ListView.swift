import CGtk

/// GTK's item of a row of a `ListView`: which row of the model it shows at the moment.
@MainActor
public struct ListItem {
  fileprivate let item: OpaquePointer

  /// The position in the model; nil while the view shows nothing.
  public var position: Int? {
    let position = gtk_list_item_get_position(item)
    return position == GTK_INVALID_LIST_POSITION ? nil : Int(position)
  }
}

/// The view of one row of a `ListView`: made once, and bound to one row after the other.
@MainActor
public protocol ListRow: AnyObject {
  /// The widget of the row.
  var root: Widget { get }
  /// Shows a row's value. `container` is the list's own widget around `root`, which has the focus and the
  /// accessible name.
  func bind(_ value: any Sendable, in container: Widget)
  /// Shows nothing any more, until the next `bind`.
  func unbind()
}

/// A list that builds views only for the rows near what is seen.
///
/// If the row in focus goes, the focus goes on to its neighbour.
@MainActor
public final class ListView<Row: ListRow>: Widget {
  private var rows: [OpaquePointer: Row] = [:]
  /// Whether the row in focus is among those that the model has just let go.
  private var losesFocus = false
  private var unsaying: Timeout?

  /// Makes a list of a model's rows; `make` builds the view of one.
  public convenience init(model: ListModel, make: @escaping @MainActor (ListItem) -> Row) {
    let factory = gtk_signal_list_item_factory_new()
    // The view takes over the reference.
    self.init(new: gtk_list_view_new(nil, factory))
    connect(factory: Object(Owned(borrowing: factory)), to: model, make)
    // Connected once before GTK's view, which forgets at a change who had the focus, and once after it.
    model.onItemsChanged { [weak self] position, removed, _ in
      guard let self else { return }
      losesFocus = focusedPosition.map { position <= $0 && $0 < position + removed } ?? false
    }
    let selection = Object(Owned(taking: gtk_no_selection_new(OpaquePointer(g_object_ref(model.raw)))))
    gtk_list_view_set_model(opaque, selection.opaque)
    model.onItemsChanged { [weak self] position, _, _ in
      guard let self else { return }
      if losesFocus && itemCount > 0 { focus(min(position, itemCount - 1)) }
      leaveSelectionUnsaid()
    }
  }

  /// Calls `body` with a row and a point of the list when a button is pressed and released on that row.
  ///
  /// GTK's own activation by a single click leaves out the second click of two that come quickly, even if
  /// another row was clicked in between. Of a double click GTK takes the second click, which is an activation then.
  public func onRowClick(
    _ button: PointerButton, _ body: @escaping @MainActor (_ row: Row, _ point: Point) -> Void
  ) {
    onClick(button) { [weak self] down, released in
      guard let row = self?.row(at: released), row === self?.row(at: down) else { return }
      body(row, released)
    }
  }

  /// Calls `body` with a row's position when it is chosen with Enter, or by a double click.
  public func onActivate(_ body: @escaping @MainActor (Int) -> Void) {
    connect("activate") { (position: guint) in body(Int(position)) }
  }

  /// The views that show a row at the moment, in no order.
  public var boundRows: some Sequence<Row> { rows.values }

  /// The view that shows a position, if there is one.
  public func row(at position: Int) -> Row? {
    rows.first { ListItem(item: $0.key).position == position }?.value
  }

  /// The row that has the focus, or within which something has it.
  ///
  /// The window says what has it: a row that was just removed may still be marked as if it had.
  public var focusedRow: Row? { focused?.row }

  private var focusedPosition: Int? { focused.flatMap { ListItem(item: $0.item).position } }

  private var focused: (item: OpaquePointer, row: Row)? {
    guard let root = gtk_widget_get_root(widget), let focused = gtk_root_get_focus(root) else { return nil }
    return rows.first { _, row in
      guard let container = gtk_widget_get_parent(row.root.widget) else { return false }
      return container == focused || gtk_widget_is_ancestor(focused, container) != 0
    }.map { (item: $0.key, row: $0.value) }
  }

  /// The row that a point of the list lies in.
  public func row(at point: Point) -> Row? {
    rows.values.first { row in
      guard row.root.isMapped, let bounds = row.root.bounds(in: self) else { return false }
      return bounds.y <= point.y && point.y < bounds.y + bounds.height
    }
  }

  /// Brings a row into view.
  public func scroll(to position: Int) {
    activate(action: "list.scroll-to-item", with: .uint32(UInt32(position)))
  }

  /// Moves the focus to a row, after bringing it into view.
  ///
  /// - Returns: false if there is no such row.
  @discardableResult
  public func focus(_ position: Int) -> Bool {
    if let scrollTo = RuntimeSymbols.listViewScrollTo {
      // From 4.12 on a list makes and moves its rows later: only GTK knows which widget is to show a position.
      guard position < itemCount else { return false }
      scrollTo(opaque, guint(position), RuntimeSymbols.listScrollFocus, nil)
      // `scrollTo` moves the focus only within the list; from elsewhere the list gives it to the row just named.
      return grabFocus()
    }
    scroll(to: position)
    guard let row = row(at: position), let container = gtk_widget_get_parent(row.root.widget) else {
      return false
    }
    return gtk_widget_grab_focus(container) != 0
  }

  private var itemCount: Int {
    guard let model = gtk_list_view_get_model(opaque) else { return 0 }
    return Int(g_list_model_get_n_items(model))
  }

  /// Makes Tab leave the list; the arrow keys are for its rows, of which there may be a million.
  public func leaveByTab() {
    // GTK knows it from 4.12 on, by a property.
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
    // The search for the next place begins at the present one, and goes on without the list.
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
      self?.leaveSelectionUnsaid()
    }
    factory.connect("unbind") { [weak self] (item: OpaquePointer) in self?.rows[item]?.unbind() }
    factory.connect("teardown") { [weak self] (item: OpaquePointer) in self?.rows[item] = nil }
  }

  /// Keeps screen readers from saying of each row that it is not selected, as none ever is.
  ///
  /// GTK tells them so at each change of a row, after it is bound.
  private func leaveSelectionUnsaid() {
    guard unsaying == nil else { return }
    unsaying = Timeout(after: .zero) { [weak self] in
      guard let self else { return }
      unsaying = nil
      for row in rows.values {
        guard let container = gtk_widget_get_parent(row.root.widget) else { continue }
        gtk_accessible_reset_state(
          Object(Owned(borrowing: container)).opaque, GTK_ACCESSIBLE_STATE_SELECTED)
      }
    }
  }

  // MARK: - Dragging rows

  /// Lets rows be dragged out with the pointer.
  ///
  /// A finger scrolls the list instead.
  ///
  /// - Parameters:
  ///   - content: the content that other programs get of a row; nil if the row cannot be dragged.
  ///   - icon: the widget that follows the pointer.
  public func onRowDrag(
    content: @escaping @MainActor (Row) -> DeferredContent?, icon: @escaping @MainActor (Row) -> Widget
  ) {
    let source = add(controller: gtk_drag_source_new())
    let dragged = Shared<Row?>(nil)
    // A pointer has no sequence; a finger's is left to scrolling and swiping.
    source.connect("begin") { [gesture = source.opaque] (sequence: OpaquePointer?) in
      if sequence != nil { gtk_gesture_set_state(gesture, GTK_EVENT_SEQUENCE_DENIED) }
    }
    source.connectQuestion("prepare") { [weak self] (x: Double, y: Double) -> UnsafeMutableRawPointer? in
      guard let row = self?.row(at: Point(x: x, y: y)), let content = content(row) else { return nil }
      dragged.value = row
      // GTK takes over a reference of its own.
      return g_object_ref(content.raw)
    }
    source.connect("drag-begin") { (drag: OpaquePointer) in
      guard let row = dragged.value else { return }
      let holder = gtk_drag_icon_get_for_drag(drag)
      let child = icon(row)
      gtk_drag_icon_set_child(OpaquePointer(holder), child.widget)
      dragged.value = nil
    }
  }

  // MARK: - Tooltips

  /// Asks what to say beside the pointer that rests on a row, or on request at the row in focus; nil for nothing.
  ///
  /// No row is asked before that.
  public func onTooltip(_ body: @escaping @MainActor (Row) -> String?) {
    gtk_widget_set_has_tooltip(widget, 1)
    connectQuestion("query-tooltip") {
      [weak self] (x: gint, y: gint, isKeyboard: Bool, tooltip: OpaquePointer) -> Bool in
      guard let self, let row = isKeyboard ? focusedRow : row(at: Point(x: Double(x), y: Double(y))),
        let text = body(row),
        let bounds = row.root.bounds(in: self)
      else { return false }
      // GTK's own label does not break a word, of which an address or a key is one.
      let label = Label()
      label.wrap()
      label.show(text)
      label.limitWidth(toCharacters: 70)
      gtk_tooltip_set_custom(tooltip, label.widget)
      // On another row the tooltip is asked for anew, and appears there.
      var area = GdkRectangle(
        x: gint(bounds.x), y: gint(bounds.y), width: gint(bounds.width), height: gint(bounds.height))
      gtk_tooltip_set_tip_area(tooltip, &area)
      return true
    }
  }
}
