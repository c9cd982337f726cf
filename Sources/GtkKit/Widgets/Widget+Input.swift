import CGtk

public enum InputKind: Sendable {
  case key
  /// A pointer button or a finger.
  case press
}

extension Widget {
  public enum PointerButton: UInt32, Sendable {
    case primary = 1
    case secondary = 3
  }

  /// Calls `body` when a button is released, with the target of its press and the point of the release.
  ///
  /// `target` is called at the press and returns what is at that point; nil for a press that has no effect. `body` is
  /// called only at the release, because a menu that opens while the button is down would receive the release, and GTK
  /// would print a warning.
  public final func onClick<Target>(
    _ button: PointerButton, on target: @escaping @MainActor (Point) -> Target?,
    _ body: @escaping @MainActor (Target, Point) -> Void
  ) {
    let gesture = add(controller: gtk_gesture_click_new())
    gtk_gesture_single_set_button(gesture.opaque, button.rawValue)
    let pressed = Shared<Target?>(nil)
    gesture.connect("pressed") { (_: gint, x: Double, y: Double) in pressed.value = target(Point(x: x, y: y))
    }
    gesture.connect("released") { (_: gint, x: Double, y: Double) in
      if let target = pressed.value { body(target, Point(x: x, y: y)) }
    }
  }

  /// Calls `body` after a long press with a finger, with its target and its point.
  ///
  /// `target` is called when the finger touches the widget and returns what is at that point; nil for none.
  public final func onLongPress<Target>(
    on target: @escaping @MainActor (Point) -> Target?, _ body: @escaping @MainActor (Target, Point) -> Void
  ) {
    let gesture = add(controller: gtk_gesture_long_press_new())
    gtk_gesture_single_set_touch_only(gesture.opaque, 1)
    let touched = Shared<Target?>(nil)
    gesture.connect("begin") { [opaque = gesture.opaque] in
      var point = Point(x: 0, y: 0)
      gtk_gesture_get_bounding_box_center(opaque, &point.x, &point.y)
      touched.value = target(point)
    }
    gesture.connect("pressed") { [opaque = gesture.opaque] (x: Double, y: Double) in
      guard let target = touched.value else {
        return _ = gtk_gesture_set_state(opaque, GTK_EVENT_SEQUENCE_DENIED)
      }
      // Claim the press, so that lifting the finger does not count as a tap.
      gtk_gesture_set_state(opaque, GTK_EVENT_SEQUENCE_CLAIMED)
      body(target, Point(x: x, y: y))
    }
  }

  /// Calls `body` when one of these keys is pressed while the focus is on the widget or within it.
  ///
  /// `keys` are in GTK's notation: `Delete`, `<Shift>F10`. `body` returns whether it handled the key. The widget's
  /// descendants get the key first, unless `beforeChildren` is set.
  public final func onKeys(
    _ keys: [String], beforeChildren: Bool = false, body: @escaping @MainActor () -> Bool
  ) {
    let pressed: @MainActor @convention(c) (gpointer?, gpointer?, gpointer?) -> gboolean = { _, _, data in
      Closure<@MainActor () -> Bool>.behind(data)() ? 1 : 0
    }
    add(keys: keys, beforeChildren: beforeChildren) {
      gtk_callback_action_new(
        unsafeBitCast(pressed, to: GtkShortcutFunc.self), Closure.retained(body), releaseClosure)
    }
  }

  /// Activates an action of the widget or its ancestors when one of these keys is pressed with the focus in the widget.
  public final func addKeys(_ keys: [String], running action: String) {
    add(keys: keys) { gtk_named_action_new(action) }
  }

  /// Binds each of these keys to an action (transfer full), which `makeAction` creates.
  private func add(keys: [String], beforeChildren: Bool = false, _ makeAction: () -> OpaquePointer?) {
    let controller = add(controller: gtk_shortcut_controller_new(), beforeChildren: beforeChildren)
    for key in keys {
      // The shortcut takes ownership of the trigger and the action, and the controller takes ownership of the shortcut.
      gtk_shortcut_controller_add_shortcut(
        controller.opaque, gtk_shortcut_new(gtk_shortcut_trigger_parse_string(key), makeAction()))
    }
  }

  /// Calls `body` with each key that is pressed while the widget contains the focus, before its descendants get it.
  ///
  /// `body` returns whether it handled the key. The accelerator names the key as in the keyboard's first Latin layout,
  /// without Shift.
  public final func onKeyPress(_ body: @escaping @MainActor (Accelerator) -> Bool) {
    let keys = add(controller: gtk_event_controller_key_new(), beforeChildren: true)
    keys.connectReturning("key-pressed") { (key: guint, code: guint, state: GdkModifierType) in
      body(
        Accelerator(
          key: latinKey(at: code) ?? key, modifiers: Accelerator.Modifiers(rawValue: state.rawValue)))
    }
  }

  /// Calls `body` with 1 to 9 when that digit's key, in the number row or on the number pad, is pressed alone or with
  /// Control.
  ///
  /// In the number row, the key's place counts, because layouts need Shift for digits (French, Czech), have other digits
  /// (Persian) or another order (Programmer Dvorak). `body` returns whether it handled the key.
  public final func onDigit(_ body: @escaping @MainActor (Int) -> Bool) {
    let keys = add(controller: gtk_event_controller_key_new())
    keys.connectReturning("key-pressed") { (symbol: guint, code: guint, state: GdkModifierType) -> Bool in
      let modifiers = Accelerator.Modifiers(rawValue: state.rawValue).intersection(.all).subtracting(.shift)
      guard modifiers.isEmpty || modifiers == .control,
        let digit = digit(code, from: 10) ?? digit(symbol, from: guint(GDK_KEY_KP_1))
          ?? digit(symbol, from: guint(GDK_KEY_1))
      else { return false }
      return body(digit)
    }
  }

  public final func onFocusLoss(_ body: @escaping @MainActor () -> Void) {
    add(controller: gtk_event_controller_focus_new()).connect("leave", body)
  }

  /// Calls `body` for each key or button press, before the widget or its descendants get it.
  public final func onAnyInput(_ body: @escaping @MainActor (InputKind) -> Void) {
    let keys = add(controller: gtk_event_controller_key_new(), beforeChildren: true)
    keys.connectReturning("key-pressed") {
      body(.key)
      return false
    }
    let press = add(controller: gtk_gesture_click_new(), beforeChildren: true)
    gtk_gesture_single_set_button(press.opaque, 0)
    press.connect("pressed") { body(.press) }
  }

  /// Calls `body` for each motion of the pointer over the widget.
  public final func onPointerMotion(_ body: @escaping @MainActor () -> Void) {
    add(controller: gtk_event_controller_motion_new()).connect("motion", body)
  }

  /// Calls `body` when the pointer or the focus enters the widget.
  public final func onArrival(_ body: @escaping @MainActor () -> Void) {
    let pointer = add(controller: gtk_event_controller_motion_new())
    pointer.connect("notify::contains-pointer") { [controller = pointer.opaque] in
      if gtk_event_controller_motion_contains_pointer(controller) != 0 { body() }
    }
    let focus = add(controller: gtk_event_controller_focus_new())
    focus.connect("notify::contains-focus") { [controller = focus.opaque] in
      if gtk_event_controller_focus_contains_focus(controller) != 0 { body() }
    }
  }

  /// Calls `body` with each event before the widget or its descendants get it; if `body` returns true, they do not.
  ///
  /// - Parameter withMenus: Also those of the widget's menus, which have surfaces of their own.
  final func onEvent(withMenus: Bool = false, _ body: @escaping @MainActor (OpaquePointer) -> Bool) {
    let controller = add(controller: gtk_event_controller_legacy_new(), beforeChildren: true)
    if withMenus { gtk_event_controller_set_propagation_limit(controller.opaque, GTK_LIMIT_NONE) }
    controller.connectReturning("event", body)
  }

  /// Adds a new controller, of which the widget takes ownership (transfer full).
  ///
  /// With `beforeChildren`, the controller gets events before the widget's descendants.
  @discardableResult
  final func add(controller: OpaquePointer?, beforeChildren: Bool = false) -> Object {
    gtk_widget_add_controller(widget, controller)
    if beforeChildren { gtk_event_controller_set_propagation_phase(controller, GTK_PHASE_CAPTURE) }
    return Object(Owned(borrowing: controller))
  }
}

/// Returns a key's keysym without modifiers, from the first layout where it is ASCII or, as for F12, not a character.
@MainActor
private func latinKey(at code: UInt32) -> UInt32? {
  guard let display = gdk_display_get_default() else { return nil }
  var levels: UnsafeMutablePointer<GdkKeymapKey>?
  var keys: UnsafeMutablePointer<guint>?
  var count: gint = 0
  guard gdk_display_map_keycode(display, code, &levels, &keys, &count) != 0, let levels, let keys else {
    return nil
  }
  defer {
    g_free(levels)
    g_free(keys)
  }
  let plain = (0..<Int(count)).filter { levels[$0].level == 0 }.sorted { levels[$0].group < levels[$1].group }
  return plain.map { keys[$0] }.first { gdk_keyval_to_unicode($0) < 0x80 }
}

/// Returns the digit of a key code or keysym; those of 2 to 9 follow `one`.
///
/// A PC keyboard's number row has the key codes from 10 (X11, and the kernel's codes plus 8 on Wayland).
private func digit(_ number: guint, from one: guint) -> Int? {
  one..<one + 9 ~= number ? Int(number - one) + 1 : nil
}
