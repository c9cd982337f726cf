import CGtk

/// The entries of a menu: labels and the actions that they run.
@MainActor
public final class Menu: Object {
  /// A label, in which `_` comes before the mnemonic; the full name of an action (`row.copy`); and the keys that the
  /// entry shows, as an accelerator.
  public typealias Entry = (label: String, action: String, keys: String?)

  /// Makes a menu of sections, separated by lines.
  ///
  /// - Parameter target: passed to each action, such as the id of a row.
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

/// A button that opens a menu, which is built when it is first opened.
@MainActor
public final class MenuButton: Widget {
  /// Makes the button of the window's main menu, which F10 opens; `name` is its tooltip and what a screen reader says.
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

/// The menu behind a button, and where the focus goes when it closes.
@MainActor
private final class MainMenu {
  private let make: @MainActor () -> Menu
  private var focusBefore: Widget?
  private var returning: Timeout?

  init(_ make: @escaping @MainActor () -> Menu) { self.make = make }

  /// Gives the button its menu; GTK calls at each opening.
  func open(on button: Widget) {
    returning = nil
    focusBefore = gtk_widget_get_root(button.widget).flatMap { gtk_root_get_focus($0) }
      .map { Widget(Owned(borrowing: $0)) }
    // The tooltip would lie over the menu.
    button.hasTooltip = false
    guard gtk_menu_button_get_popover(button.opaque) == nil else { return }
    let popover = Widget(Owned(borrowing: makePopover(of: make())))
    // The room beside the arrow would be black.
    if !Display.isComposited { gtk_popover_set_has_arrow(popover.cast(), 0) }
    popover.connect("closed") { [weak self, pointer = button.opaque] in
      self?.closed(on: Widget(Owned(borrowing: pointer)))
    }
    gtk_menu_button_set_popover(button.opaque, popover.widget)
  }

  /// Gives the focus back: GTK leaves it on the button, where Enter opens the menu again.
  private func closed(on button: Widget) {
    button.hasTooltip = true
    giveFocusBack()
    // GTK 4.24 moves the focus to the button only after this signal.
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

/// A menu that pops up over a widget, made anew each time.
@MainActor
public final class PopoverMenu: Widget {
  /// The widget that the menu belongs to: GTK complains of one that goes before a child of its.
  private var parent: Widget?

  /// Makes a menu that belongs to a widget, whose actions it runs.
  public convenience init(on parent: Widget) {
    self.init(new: makePopover(of: Menu(sections: [])))
    gtk_widget_set_parent(widget, parent.widget)
    self.parent = parent
    gtk_popover_set_has_arrow(cast(), 0)
    // GTK mirrors what is in a menu, and not its place beside the pointer.
    gtk_widget_set_halign(widget, parent.isRightToLeft ? GTK_ALIGN_END : GTK_ALIGN_START)
  }

  isolated deinit {
    gtk_widget_unparent(widget)
  }

  /// Shows a menu beside a point of the widget that it belongs to.
  public func popUp(_ menu: Menu, at point: Point) {
    gtk_popover_menu_set_menu_model(opaque, menu.cast())
    var area = GdkRectangle(x: gint(point.x), y: gint(point.y), width: 1, height: 1)
    gtk_popover_set_pointing_to(cast(), &area)
    gtk_popover_popup(cast())
  }

  /// Calls `body` when the menu has closed.
  public func onClose(_ body: @escaping @MainActor () -> Void) { connect("closed", body) }
}

/// A popover that shows a menu (transfer floating), whose entries screen readers can name.
@MainActor
private func makePopover(of menu: Menu) -> UnsafeMutablePointer<GtkWidget>? {
  guard let popover = gtk_popover_menu_new_from_model(menu.cast()) else { return nil }
  let map: @MainActor @convention(c) (UnsafeMutablePointer<GtkWidget>, gpointer?) -> Void = { popover, _ in
    nameEntries(in: popover)
    layOutEntries(of: popover)
  }
  // Not before it is in a window: then GTK says once more what labels its entries.
  g_signal_connect_data(
    popover, "map", unsafeBitCast(map, to: GCallback.self), nil, nil, GConnectFlags(rawValue: 0))
  return popover
}

/// Gives the entries of a menu their places before its first frame.
///
/// An arrow key looks for the next entry by its place. If it is pressed before that frame, as by a quick hand on a slow
/// machine, GTK finds none below, and begins at the top again. The popover itself has to wait for its surface's size.
@MainActor
private func layOutEntries(of popover: UnsafeMutablePointer<GtkWidget>) {
  guard let entries = gtk_popover_get_child(Widget(Owned(borrowing: popover)).cast()) else { return }
  var (width, height): (gint, gint) = (0, 0)
  gtk_widget_measure(entries, GTK_ORIENTATION_HORIZONTAL, -1, nil, &width, nil, nil)
  gtk_widget_measure(entries, GTK_ORIENTATION_VERTICAL, width, nil, &height, nil, nil)
  gtk_widget_allocate(entries, width, height, -1, nil)
}

/// Gives each entry its text as its name.
///
/// GTK has it labelled by a label within it instead, and GTK 4.24 passes on no name then. The name takes the label's
/// place, because GTK 4.8 says both.
@MainActor
private func nameEntries(in widget: UnsafeMutablePointer<GtkWidget>) {
  var next = gtk_widget_get_first_child(widget)
  while let child = next {
    next = gtk_widget_get_next_sibling(child)
    let entry = Widget(Owned(borrowing: child))
    let role = gtk_accessible_get_accessible_role(entry.opaque)
    if role == GTK_ACCESSIBLE_ROLE_MENU_ITEM || role == GTK_ACCESSIBLE_ROLE_MENU_ITEM_CHECKBOX,
      case .text(let text)? = entry[property: "text"]
    {
      gtk_accessible_reset_relation(entry.opaque, GTK_ACCESSIBLE_RELATION_LABELLED_BY)
      entry.setAccessibleName(text.withoutMnemonic)
    } else {
      nameEntries(in: child)
    }
  }
}

/// Named actions that menus and keys run.
@MainActor
public final class ActionGroup: Object {
  /// Makes a group without actions.
  public convenience init() {
    self.init(Owned(taking: g_simple_action_group_new()))
  }

  /// Adds an action without a parameter.
  public func add(_ name: String, _ body: @escaping @MainActor () -> Void) {
    addAction(name, to: opaque) { _ in body() }
  }

  /// Adds an action that is run on something, such as a row, which its id names.
  public func add(_ name: String, _ body: @escaping @MainActor (Int64) -> Void) {
    let type = g_variant_type_new("x")
    defer { g_variant_type_free(type) }
    addAction(name, of: type, to: opaque) { id in
      if let id { body(Int64(g_variant_get_int64(id))) }
    }
  }

  /// Adds an action that is on or off, which other groups may have too.
  public func add(_ action: ToggleAction) { g_action_map_add_action(opaque, action.opaque) }

  /// Says whether an action can be run at present; menus show it dim if not.
  public func setEnabled(_ name: String, _ isEnabled: Bool) {
    guard let action = g_action_map_lookup_action(opaque, name) else { return }
    g_simple_action_set_enabled(action, isEnabled ? 1 : 0)
  }
}

/// An action that is on or off, which menus and buttons show and turn over.
@MainActor
public final class ToggleAction: Object {
  /// Makes an action that is off.
  public convenience init(_ name: String) {
    self.init(Owned(taking: g_simple_action_new_stateful(name, nil, g_variant_new_boolean(0))))
  }

  /// Whether it is on.
  public var isOn: Bool {
    get { g_action_get_state(opaque).map { Variant(taking: $0).bool == true } ?? false }
    set { g_action_change_state(opaque, g_variant_new_boolean(newValue ? 1 : 0)) }
  }

  /// Calls `body` when it is turned on or off, by whomever.
  public func onChange(_ body: @escaping @MainActor () -> Void) { connect("notify::state", body) }
}

/// Adds an action to whatever keeps actions: a group, an application; `type` is that of its target, if it has one.
@MainActor
func addAction(
  _ name: String, of type: OpaquePointer? = nil, to map: OpaquePointer,
  _ body: @escaping @MainActor (_ target: OpaquePointer?) -> Void
) {
  let action = Object(Owned(taking: g_simple_action_new(name, type)))
  action.connect("activate", body)
  withExtendedLifetime(action) { g_action_map_add_action(map, action.opaque) }
}
