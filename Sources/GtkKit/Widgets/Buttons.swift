import CGtk

/// A button that shows an icon, a text or another widget.
@MainActor
public final class Button: Widget {
  /// Makes a button without a frame; `name` is its tooltip and its name for screen readers.
  public convenience init(icon: String, name: String, _ clicked: @escaping @MainActor () -> Void) {
    self.init(new: gtk_button_new_from_icon_name(icon))
    gtk_button_set_has_frame(cast(), 0)
    tooltip = name
    setAccessibleName(name)
    connect("clicked", clicked)
  }

  /// Makes a button that shows `words`, without a mnemonic; they wrap if there is not enough room.
  ///
  /// The text is a separate label, because GTK 4.8 exposes the text of its own text buttons to screen readers twice,
  /// with the mnemonic's `_`.
  public convenience init(words: String, _ clicked: @escaping @MainActor () -> Void) {
    self.init(new: gtk_button_new())
    let label = Label(words)
    label.wrap()
    label.preferOneLine()
    label.center()
    gtk_button_set_child(cast(), label.widget)
    addStyle("text-button")
    setAccessibleName(words)
    connect("clicked", clicked)
  }

  /// Keeps the focus where it is when the button is clicked.
  public func leaveFocusOnClick() { gtk_widget_set_focus_on_click(widget, 0) }

  /// Makes a button with a label; Alt and the character after `_` press the button.
  public convenience init(label: String, _ clicked: (@MainActor () -> Void)? = nil) {
    self.init(new: gtk_button_new_with_mnemonic(label))
    if let clicked { onClick(clicked) }
  }

  /// Makes a button that contains a widget.
  public convenience init(child: Widget) {
    self.init(new: gtk_button_new())
    gtk_button_set_child(cast(), child.widget)
  }

  /// The button's label; empty if the button shows an icon or a widget.
  public var label: String {
    get { gtk_button_get_label(cast()).map { String(cString: $0) } ?? "" }
    set { gtk_button_set_label(cast(), newValue) }
  }

  /// Calls `body` when the button is activated with pointer or keyboard.
  public func onClick(_ body: @escaping @MainActor () -> Void) { connect("clicked", body) }
}

/// A button that appears pressed while its action is on.
@MainActor
public final class ToggleButton: Widget {
  /// Makes a frameless button that contains `child`; `action` is the full name of the button's action (`win.pause`).
  public convenience init(child: Widget, action: String) {
    self.init(new: gtk_toggle_button_new())
    gtk_button_set_child(cast(), child.widget)
    gtk_button_set_has_frame(cast(), 0)
    gtk_widget_set_focus_on_click(widget, 0)
    gtk_actionable_set_action_name(opaque, action)
  }
}

/// A control whose value the user can change.
@MainActor
public protocol ValueControl: Widget {
  /// Calls `body` when the value changes, whether by the user or by the program.
  func onChange(_ body: @escaping @MainActor () -> Void)
}

/// A control that is on or off, and takes effect immediately.
@MainActor
public final class Switch: Widget, ValueControl {
  /// Makes a switch that is off.
  public convenience init() {
    self.init(new: gtk_switch_new())
  }

  /// Whether the switch is on.
  public var isOn: Bool {
    get { gtk_switch_get_active(opaque) != 0 }
    set { gtk_switch_set_active(opaque, newValue ? 1 : 0) }
  }

  /// Calls `body` when the switch changes, whether by the user or by the program.
  public func onChange(_ body: @escaping @MainActor () -> Void) { connect("notify::active", body) }
}

/// A drop-down list of texts, which shows the chosen text.
@MainActor
public final class DropDown: Widget {
  /// Makes a list of `texts`, the first of which is chosen.
  public convenience init(_ texts: [String]) {
    self.init(new: withCStrings(texts) { gtk_drop_down_new_from_strings($0) })
    disposeTextsOnceAlone(within: widget)
  }

  /// The index of the chosen text.
  public var chosen: Int {
    get { Int(gtk_drop_down_get_selected(opaque)) }
    set { gtk_drop_down_set_selected(opaque, guint(newValue)) }
  }

  /// Opens the list of texts.
  public func open() { gtk_widget_activate(widget) }

  /// Calls `body` when a different text is chosen, whether by the user or by the program.
  public func onChange(_ body: @escaping @MainActor () -> Void) { connect("notify::selected", body) }
}

/// An entry for a number, with buttons to increase and decrease it.
@MainActor
public final class SpinButton: Widget, ValueControl {
  /// Makes an entry for the integers of a range; Page Up and Page Down change the value by `page`.
  public convenience init(_ range: ClosedRange<Int>, page: Int) {
    self.init(new: gtk_spin_button_new_with_range(Double(range.lowerBound), Double(range.upperBound), 1))
    gtk_spin_button_set_increments(opaque, 1, Double(page))
    gtk_spin_button_set_numeric(opaque, 1)
    // Otherwise an empty entry would become the smallest value.
    gtk_spin_button_set_update_policy(opaque, GTK_UPDATE_IF_VALID)
    leaveWheelToPage()
    // GTK applies what was typed when the entry loses the focus, but not when the window is closed.
    onHide { [opaque] in gtk_spin_button_update(opaque) }
    disposeTextsOnceAlone(within: widget)
  }

  /// Disables scrolling over the entry, because GTK would change a number under the pointer while the user scrolls the
  /// page.
  private func leaveWheelToPage() {
    let controllers = Object(Owned(taking: gtk_widget_observe_controllers(widget)))
    for position in 0..<g_list_model_get_n_items(controllers.opaque) {
      guard let item = g_list_model_get_object(controllers.opaque, position) else { continue }
      let controller = Object(Owned(taking: item))
      guard copypasta_is_a(controller.raw, gtk_event_controller_scroll_get_type()) != 0 else { continue }
      gtk_event_controller_set_propagation_phase(controller.opaque, GTK_PHASE_NONE)
    }
  }

  /// The number.
  public var value: Int {
    get { Int(gtk_spin_button_get_value_as_int(opaque)) }
    set { gtk_spin_button_set_value(opaque, Double(newValue)) }
  }

  /// Calls `body` when the number changes, whether by the user or by the program.
  public func onChange(_ body: @escaping @MainActor () -> Void) { connect("value-changed", body) }
}
