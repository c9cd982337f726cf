import CGtk

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

  /// Makes a button that shows `words`, which wrap if there is not enough room; Alt and the character after `_` press it.
  ///
  /// The text is a separate label, because GTK 4.8 exposes the text of its own text buttons to screen readers twice,
  /// with the mnemonic's `_`.
  public convenience init(words: String, _ clicked: @escaping @MainActor () -> Void) {
    self.init(new: gtk_button_new())
    let label = Label()
    label.show(nameOf: self, words)
    label.wrap()
    label.preferOneLine()
    label.center()
    gtk_button_set_child(cast(), label.widget)
    addStyle("text-button")
    connect("clicked", clicked)
  }

  /// Keeps the focus where it is when the button is clicked.
  public func leaveFocusOnClick() { gtk_widget_set_focus_on_click(widget, 0) }

  /// Makes a button with a label; Alt and the character after `_` press the button.
  public convenience init(label: String, _ clicked: (@MainActor () -> Void)? = nil) {
    self.init(new: gtk_button_new_with_mnemonic(label))
    if let clicked { onClick(clicked) }
  }

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

  /// Makes a button that sets the state of `action` to `target`; `name` is its name for screen readers.
  public convenience init(label: String, name: String, action: String, target: Variant) {
    self.init(new: gtk_toggle_button_new_with_label(label))
    setAccessibleName(name)
    gtk_actionable_set_action_name(opaque, action)
    target.withPointer { gtk_actionable_set_action_target_value(opaque, $0) }
  }
}

/// A control that shows whether an action is on, and toggles it.
@MainActor
public final class Switch: Widget {
  private var isFollowing = false

  /// Makes a switch for a stateful action of a group, which enables and disables the switch.
  public convenience init(_ action: String, of group: ActionGroup) {
    self.init(new: gtk_switch_new())
    insert(group, as: "switch")
    gtk_actionable_set_action_name(opaque, "switch." + action)
    connectReturning("state-set") { [weak self] (_: Bool) -> Bool in self?.isFollowing == true }
    connect("notify::active") { [weak self] in
      // After a refusal, GTK leaves the handle where the user has put it. Defer: while the switch reports the change,
      // resetting it would leave the refused state for screen readers.
      Task.unpooled { self?.follow(group.isOn(action)) }
    }
  }

  private func follow(_ isOn: Bool) {
    guard self.isOn != isOn else { return }
    // Do not activate the action again.
    isFollowing = true
    gtk_switch_set_active(opaque, isOn ? 1 : 0)
    gtk_switch_set_state(opaque, isOn ? 1 : 0)
    isFollowing = false
  }

  /// Toggles the switch, unless it is disabled.
  public func activate() { gtk_widget_activate(widget) }

  var isOn: Bool { gtk_switch_get_active(opaque) != 0 }
}

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

  public func open() { gtk_widget_activate(widget) }

  /// Calls `body` when a different text is chosen, whether by the user or by the program.
  public func onChange(_ body: @escaping @MainActor () -> Void) { connect("notify::selected", body) }
}
