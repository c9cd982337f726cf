import CGtk

/// A menu model: labels, and the actions that they activate.
@MainActor
public final class Menu: Object {
  /// A label in which `_` precedes the mnemonic; an action's full name (`row.copy`); and an accelerator to display.
  public typealias Entry = (label: String, action: String, keys: String?)

  /// Makes a menu of sections, which are separated by lines.
  ///
  /// - Parameter target: the parameter of each action, such as the id of a row.
  public convenience init(sections: [[Entry]], target: Int64? = nil) {
    self.init(Owned(taking: g_menu_new()))
    for entries in sections {
      let section = Object(Owned(taking: g_menu_new()))
      for entry in entries {
        let item = Object(Owned(taking: g_menu_item_new(entry.label, nil)))
        g_menu_item_set_action_and_target_value(
          item.opaque, entry.action, target.map { g_variant_new_int64(gint64($0)) })
        if let keys = entry.keys {
          g_menu_item_set_attribute_value(item.opaque, "accel", g_variant_new_string(keys))
        }
        g_menu_append_item(section.opaque, item.opaque)
      }
      g_menu_append_section(opaque, nil, section.cast())
    }
  }
}

/// A button that opens a menu; the menu is created when it is first opened.
@MainActor
public final class MenuButton: Widget {
  /// Makes the button of the window's main menu, which F10 opens; `name` is its tooltip and its name for screen
  /// readers.
  public convenience init(mainMenu name: String, _ makeMenu: @escaping @MainActor () -> Menu) {
    self.init(new: gtk_menu_button_new())
    gtk_menu_button_set_icon_name(opaque, "open-menu-symbolic")
    gtk_menu_button_set_primary(opaque, 1)
    gtk_menu_button_set_has_frame(opaque, 0)
    tooltip = name
    setAccessibleName(name)
    gtk_widget_set_focus_on_click(widget, 0)
    let opening: @MainActor @convention(c) (OpaquePointer?, gpointer?) -> Void = { button, data in
      guard let button else { return }
      Closure<MainMenu>.behind(data).open(on: Widget(Owned(borrowing: button)))
    }
    gtk_menu_button_set_create_popup_func(
      opaque, unsafeBitCast(opening, to: GtkMenuButtonCreatePopupFunc.self),
      Closure.retained(MainMenu(makeMenu)), releaseClosure)
  }
}

/// The menu of a button, and the focus to restore when it closes.
@MainActor
private final class MainMenu {
  private let make: @MainActor () -> Menu
  private var focusBefore: Widget?
  private var returning: Timeout?

  init(_ make: @escaping @MainActor () -> Menu) { self.make = make }

  /// Stores the focus and, the first time, creates the menu; GTK calls this each time the menu is opened.
  func open(on button: Widget) {
    returning = nil
    focusBefore = gtk_widget_get_root(button.widget).flatMap { gtk_root_get_focus($0) }
      .map { Widget(Owned(borrowing: $0)) }
    // Disable the tooltip, which would cover the menu.
    button.hasTooltip = false
    guard gtk_menu_button_get_popover(button.opaque) == nil else { return }
    let popover = Widget(Owned(borrowing: makePopover(of: make())))
    // Without a compositor, the area next to the arrow would be black.
    if !Display.isComposited { gtk_popover_set_has_arrow(popover.cast(), 0) }
    popover.connect("closed") { [weak self, pointer = button.opaque] in
      self?.closed(on: Widget(Owned(borrowing: pointer)))
    }
    gtk_menu_button_set_popover(button.opaque, popover.widget)
  }

  /// Restores the focus, because GTK leaves it on the button, where Enter would open the menu again.
  private func closed(on button: Widget) {
    button.hasTooltip = true
    // An entry's action may have moved the focus.
    let focus = gtk_widget_get_root(button.widget).flatMap { gtk_root_get_focus($0) }
    if focus.map({ gtk_widget_is_ancestor($0, button.widget) != 0 }) ?? true { giveFocusBack() }
    // GTK 4.24 moves the focus to the button only after this signal, so restore it again.
    returning = Timeout(after: .zero) { [weak self] in
      if button.hasFocusWithin { self?.giveFocusBack() }
      self?.focusBefore = nil
      self?.returning = nil
    }
  }

  private func giveFocusBack() {
    if let focusBefore, focusBefore.isMapped { focusBefore.grabFocus() }
  }
}

/// A context menu, whose content is set for each use.
@MainActor
public final class PopoverMenu: Widget {
  /// The menu's parent, retained because GTK warns if a parent is finalised before its child.
  private var parent: Widget?

  /// Makes a menu that is a child of `parent` and activates the actions of `parent`.
  public convenience init(on parent: Widget) {
    self.init(new: makePopover(of: Menu(sections: [])))
    gtk_widget_set_parent(widget, parent.widget)
    self.parent = parent
    gtk_popover_set_has_arrow(cast(), 0)
    // GTK mirrors the menu's content, but not its position relative to the pointer.
    gtk_widget_set_halign(widget, parent.isRightToLeft ? GTK_ALIGN_END : GTK_ALIGN_START)
  }

  isolated deinit {
    gtk_widget_unparent(widget)
  }

  /// Shows `menu` at a point of the parent.
  public func popUp(_ menu: Menu, at point: Point) {
    gtk_popover_menu_set_menu_model(opaque, menu.cast())
    labelKeys(in: widget)
    var area = GdkRectangle(x: gint(point.x), y: gint(point.y), width: 1, height: 1)
    gtk_popover_set_pointing_to(cast(), &area)
    gtk_popover_popup(cast())
  }

  public func onClose(_ body: @escaping @MainActor () -> Void) { connect("closed", body) }
}

/// Named actions that menus and keys activate.
@MainActor
public final class ActionGroup: Object {
  public convenience init() {
    self.init(Owned(taking: g_simple_action_group_new()))
  }

  public func add(_ name: String, _ body: @escaping @MainActor () -> Void) {
    addAction(name, to: opaque) { _ in body() }
  }

  /// Adds an action on an object, such as a row; `body` receives the object's id.
  public func add(_ name: String, _ body: @escaping @MainActor (Int64) -> Void) {
    let type = g_variant_type_new("x")
    defer { g_variant_type_free(type) }
    addAction(name, of: type, to: opaque) { id in
      if let id { body(Int64(g_variant_get_int64(id))) }
    }
  }

  /// Adds a stateful action; other groups may contain the same action.
  public func add(_ action: ToggleAction) { g_action_map_add_action(opaque, action.opaque) }

  func isOn(_ name: String) -> Bool {
    g_action_group_get_action_state(opaque, name).map { Variant(taking: $0).bool == true } ?? false
  }

  /// Enables or disables an action; menus show a disabled action as insensitive.
  public func setEnabled(_ name: String, _ isEnabled: Bool) {
    guard let action = g_action_map_lookup_action(opaque, name) else { return }
    g_simple_action_set_enabled(action, isEnabled ? 1 : 0)
  }
}

/// A stateful action that is on or off; menus and buttons show its state and toggle it.
@MainActor
public final class ToggleAction: Object {
  /// Creates an action that is initially off.
  public convenience init(_ name: String) {
    self.init(Owned(taking: g_simple_action_new_stateful(name, nil, g_variant_new_boolean(0))))
  }

  /// Creates an action that is initially off; a request to change it calls `requested` and changes nothing else.
  public convenience init(_ name: String, requested: @escaping @MainActor (Bool) -> Void) {
    self.init(name)
    connect("change-state") { (value: OpaquePointer?) in
      if let value { requested(g_variant_get_boolean(value) != 0) }
    }
  }

  /// Shows a state without a request.
  public func show(_ isOn: Bool) {
    g_simple_action_set_state(opaque, g_variant_new_boolean(isOn ? 1 : 0))
  }

  /// Whether controls can change the action.
  public var isEnabled: Bool {
    get { g_action_get_enabled(opaque) != 0 }
    set { g_simple_action_set_enabled(opaque, newValue ? 1 : 0) }
  }

  public var isOn: Bool {
    get { g_action_get_state(opaque).map { Variant(taking: $0).bool == true } ?? false }
    set { g_action_change_state(opaque, g_variant_new_boolean(newValue ? 1 : 0)) }
  }

  /// Calls `body` when the state changes, whether by the user or by the program.
  public func onChange(_ body: @escaping @MainActor () -> Void) { connect("notify::state", body) }
}

/// Adds an action to an action map, such as a group or an application; `type` is the type of its parameter, if any.
@MainActor
func addAction(
  _ name: String, of type: OpaquePointer? = nil, to map: OpaquePointer,
  _ body: @escaping @MainActor (_ target: OpaquePointer?) -> Void
) {
  let action = Object(Owned(taking: g_simple_action_new(name, type)))
  action.connect("activate", body)
  withExtendedLifetime(action) { g_action_map_add_action(map, action.opaque) }
}
