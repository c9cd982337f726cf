import CGtk

/// The device of the user's input.
public enum InputKind: Sendable {
  /// The keyboard.
  case key
  /// A button of the pointer, or a finger.
  case press
}

extension Widget {
  /// Which of a pointer's buttons.
  public enum PointerButton: UInt32, Sendable {
    /// The one that chooses, usually the left.
    case primary = 1
    /// The one that opens a menu, usually the right.
    case secondary = 3
  }

  /// Calls `body` with the points where a button goes down and where it is released, in the widget's coordinates.
  ///
  /// At the release: a menu that opens while the button is down gets the release, and GTK complains of it.
  public final func onClick(
    _ button: PointerButton, _ body: @escaping @MainActor (_ down: Point, _ released: Point) -> Void
  ) {
    let gesture = add(controller: gtk_gesture_click_new())
    gtk_gesture_single_set_button(gesture.opaque, button.rawValue)
    let down = Shared(Point(x: 0, y: 0))
    gesture.connect("pressed") { (_: gint, x: Double, y: Double) in down.value = Point(x: x, y: y) }
    gesture.connect("released") { (_: gint, x: Double, y: Double) in body(down.value, Point(x: x, y: y)) }
  }

  /// Calls `body` with the point that a finger rests on; `body` returns whether something came of that.
  public final func onLongPress(_ body: @escaping @MainActor (Point) -> Bool) {
    let gesture = add(controller: gtk_gesture_long_press_new())
    gtk_gesture_single_set_touch_only(gesture.opaque, 1)
    gesture.connect("pressed") { [opaque = gesture.opaque] (x: Double, y: Double) in
      // Claimed, lifting the finger is no tap.
      let state = body(Point(x: x, y: y)) ? GTK_EVENT_SEQUENCE_CLAIMED : GTK_EVENT_SEQUENCE_DENIED
      gtk_gesture_set_state(opaque, state)
    }
  }

  /// Calls `body` when one of these keys is pressed while the widget, or something within it, has the focus.
  ///
  /// `keys` in GTK's words: `Delete`, `<Shift>F10`. `body` returns whether it dealt with the key. Widgets within
  /// this one get the key first, unless `beforeChildren` is set.
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

  /// Runs an action of the widget, or of what it lies in, when one of these keys is pressed while the focus is on the
  /// widget or within it.
  public final func addKeys(_ keys: [String], running action: String) {
    add(keys: keys) { gtk_named_action_new(action) }
  }

  /// Has each of these keys run an action (transfer full), which `makeAction` makes.
  private func add(keys: [String], beforeChildren: Bool = false, _ makeAction: () -> OpaquePointer?) {
    let controller = add(controller: gtk_shortcut_controller_new(), beforeChildren: beforeChildren)
    for key in keys {
      // The shortcut takes over trigger and action, the controller the shortcut.
      gtk_shortcut_controller_add_shortcut(
        controller.opaque, gtk_shortcut_new(gtk_shortcut_trigger_parse_string(key), makeAction()))
    }
  }

  /// Calls `body` with each key that is pressed while the widget has the focus, before anything within it gets it;
  /// `body` returns whether it dealt with the key.
  ///
  /// The key is named as in the keyboard's first Latin layout without Shift, as accelerators are.
  public final func onKeyPress(_ body: @escaping @MainActor (Accelerator) -> Bool) {
    let keys = add(controller: gtk_event_controller_key_new(), beforeChildren: true)
    keys.connectReturning("key-pressed") { (key: guint, code: guint, state: GdkModifierType) in
      body(
        Accelerator(
          key: latinKey(at: code) ?? key, modifiers: Accelerator.Modifiers(rawValue: state.rawValue)))
    }
  }

  /// Calls `body` with 1 to 9 when the key of that digit, in its row or on the number pad, is pressed together with
  /// Control.
  ///
  /// The key is the one that the digit is printed on: some layouts (French, Czech) give digits with Shift only, others
  /// (Persian) have digits of their own. `body` returns whether it dealt with the key.
  public final func onControlDigit(_ body: @escaping @MainActor (Int) -> Bool) {
    let keys = add(controller: gtk_event_controller_key_new())
    keys.connectReturning("key-pressed") { (symbol: guint, code: guint, state: GdkModifierType) -> Bool in
      let modifiers = Accelerator.Modifiers(rawValue: state.rawValue).intersection(.all)
      guard let digit = controlDigit(symbol, code, modifiers) else { return false }
      return body(digit)
    }
  }

  /// Calls `body` when the focus goes on to something outside the widget.
  public final func onFocusLoss(_ body: @escaping @MainActor () -> Void) {
    add(controller: gtk_event_controller_focus_new()).connect("leave", body)
  }

  /// Calls `body` before the widget, or something within it, gets a key or a button that goes down.
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

  /// Calls `body` each time that the pointer moves on the widget.
  public final func onPointerMotion(_ body: @escaping @MainActor () -> Void) {
    add(controller: gtk_event_controller_motion_new()).connect("motion", body)
  }

  /// Calls `body` when the pointer or the focus comes to the widget or to something within it.
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

  /// Calls `body` with each event before the widget, or something within it, gets it; if it returns true, none gets it.
  final func onEvent(_ body: @escaping @MainActor (OpaquePointer) -> Bool) {
    add(controller: gtk_event_controller_legacy_new(), beforeChildren: true).connectReturning("event", body)
  }

  /// Adds a controller that a constructor returned (transfer full), which the widget takes over.
  ///
  /// With `beforeChildren` the controller gets an event before what is within the widget.
  @discardableResult
  final func add(controller: OpaquePointer?, beforeChildren: Bool = false) -> Object {
    gtk_widget_add_controller(widget, controller)
    if beforeChildren { gtk_event_controller_set_propagation_phase(controller, GTK_PHASE_CAPTURE) }
    return Object(Owned(borrowing: controller))
  }
}

/// The keysym of a key code without modifiers, in the first layout in which that is a character of ASCII or no
/// character at all, such as F12.
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

/// The digit from 1 to 9 that a key stands for together with Control, given its keysym in the present layout, its code
/// and the modifiers that are held.
@MainActor
private func controlDigit(_ symbol: guint, _ code: guint, _ modifiers: Accelerator.Modifiers) -> Int? {
  guard modifiers == .control || modifiers == [.control, .shift] else { return nil }
  if let digit = digit(symbol, from: GDK_KEY_1) ?? digit(symbol, from: GDK_KEY_KP_1) { return digit }
  // The digit that the key gives in any of the user's layouts, with any modifier.
  var symbols: UnsafeMutablePointer<guint>?
  var count: gint = 0
  guard modifiers == .control,
    gdk_display_map_keycode(gdk_display_get_default(), code, nil, &symbols, &count) != 0
  else { return nil }
  defer { g_free(symbols) }
  // Not those of the number pad: without Num Lock its keys are End, Page Down and the like.
  return UnsafeBufferPointer(start: symbols, count: Int(count)).lazy
    .compactMap { digit($0, from: GDK_KEY_1) }.first
}

/// Which of the nine keysyms that begin with that of a 1 a keysym is.
private func digit(_ symbol: guint, from one: Int32) -> Int? {
  let digit = Int(symbol) - Int(one) + 1
  return 1...9 ~= digit ? digit : nil
}
