import CGtk

/// Which of a pointer's buttons.
public enum PointerButton: UInt32, Sendable {
  /// The one that chooses, usually the left.
  case primary = 1
  /// The one that opens a menu, usually the right.
  case secondary = 3
}

/// What the user does something with.
public enum InputKind: Sendable {
  /// The keyboard.
  case key
  /// A button of the pointer, or a finger.
  case press
}

extension Widget {
  /// Calls with the places where a button goes down and where it is released, in the widget's coordinates.
  ///
  /// At the release: a menu that opens while the button is down gets the release, and GTK complains of it.
  public final func onClick(
    _ button: PointerButton, _ body: @escaping @MainActor (_ down: Point, _ released: Point) -> Void
  ) {
    let gesture = Object(Owned(taking: UnsafeMutableRawPointer(gtk_gesture_click_new().unsafelyUnwrapped)))
    gtk_gesture_single_set_button(gesture.opaque, button.rawValue)
    let press = Press()
    gesture.connectPress("pressed") { _, x, y in press.place = Point(x: x, y: y) }
    gesture.connectPress("released") { _, x, y in body(press.place, Point(x: x, y: y)) }
    add(controller: gesture)
  }

  /// Calls with the place that a finger rests on; the answer says whether something came of it.
  public final func onLongPress(_ body: @escaping @MainActor (Point) -> Bool) {
    let gesture = Object(
      Owned(taking: UnsafeMutableRawPointer(gtk_gesture_long_press_new().unsafelyUnwrapped)))
    gtk_gesture_single_set_touch_only(gesture.opaque, 1)
    gesture.connectPlace("pressed") { [opaque = gesture.opaque] x, y in
      // Claimed, lifting the finger is no tap.
      let state = body(Point(x: x, y: y)) ? GTK_EVENT_SEQUENCE_CLAIMED : GTK_EVENT_SEQUENCE_DENIED
      gtk_gesture_set_state(opaque, state)
    }
    add(controller: gesture)
  }

  /// Calls when one of these keys is pressed while the widget, or something within it, has the keyboard.
  ///
  /// `keys` in GTK's words: `Delete`, `<Shift>F10`. The answer says whether the key was dealt with. What is within
  /// the widget goes first, unless `beforeChildren` is set.
  public final func onKeys(
    _ keys: String..., beforeChildren: Bool = false, body: @escaping @MainActor () -> Bool
  ) {
    onKeys(keys, beforeChildren: beforeChildren, body: body)
  }

  /// The same for keys that a table holds.
  public final func onKeys(
    _ keys: [String], beforeChildren: Bool = false, body: @escaping @MainActor () -> Bool
  ) {
    let controller = Object(
      Owned(taking: UnsafeMutableRawPointer(gtk_shortcut_controller_new().unsafelyUnwrapped)))
    for key in keys {
      let pressed: @MainActor @convention(c) (gpointer?, gpointer?, gpointer?) -> gboolean = { _, _, data in
        Callback<Bool>.behind(data).body() ? 1 : 0
      }
      let action = gtk_callback_action_new(
        unsafeBitCast(pressed, to: GtkShortcutFunc.self), Callback(body).retained, releaseCallback)
      // The shortcut takes over trigger and action, the controller the shortcut.
      gtk_shortcut_controller_add_shortcut(
        controller.opaque, gtk_shortcut_new(gtk_shortcut_trigger_parse_string(key), action))
    }
    if beforeChildren { gtk_event_controller_set_propagation_phase(controller.opaque, GTK_PHASE_CAPTURE) }
    add(controller: controller)
  }

  /// Calls when the keyboard goes on to something outside the widget.
  public final func onFocusLoss(_ body: @escaping @MainActor () -> Void) {
    let focus = Object(
      Owned(taking: UnsafeMutableRawPointer(gtk_event_controller_focus_new().unsafelyUnwrapped)))
    focus.connect("leave", body)
    add(controller: focus)
  }

  /// Calls before the widget, or something within it, gets to know of a key or of a button that goes down.
  public final func onAnyInput(_ body: @escaping @MainActor (InputKind) -> Void) {
    let keys = Object(
      Owned(taking: UnsafeMutableRawPointer(gtk_event_controller_key_new().unsafelyUnwrapped)))
    keys.connectKeyPress { _, _, _ in
      body(.key)
      return false
    }
    let press = Object(Owned(taking: UnsafeMutableRawPointer(gtk_gesture_click_new().unsafelyUnwrapped)))
    gtk_gesture_single_set_button(press.opaque, 0)
    press.connectPress("pressed") { _, _, _ in body(.press) }
    for controller in [keys, press] {
      gtk_event_controller_set_propagation_phase(controller.opaque, GTK_PHASE_CAPTURE)
      add(controller: controller)
    }
  }

  /// Calls when the pointer or the keyboard comes to the widget or to something within it.
  public final func onArrival(_ body: @escaping @MainActor () -> Void) {
    let pointer = Object(
      Owned(taking: UnsafeMutableRawPointer(gtk_event_controller_motion_new().unsafelyUnwrapped)))
    pointer.connectNotify("contains-pointer") { [controller = pointer.opaque] in
      if gtk_event_controller_motion_contains_pointer(controller) != 0 { body() }
    }
    let focus = Object(
      Owned(taking: UnsafeMutableRawPointer(gtk_event_controller_focus_new().unsafelyUnwrapped)))
    focus.connectNotify("contains-focus") { [controller = focus.opaque] in
      if gtk_event_controller_focus_contains_focus(controller) != 0 { body() }
    }
    for controller in [pointer, focus] { add(controller: controller) }
  }

  final func add(controller: Object) {
    // The widget takes over a reference of its own.
    gtk_widget_add_controller(widget, OpaquePointer(g_object_ref(controller.raw)))
  }
}

/// Where a button went down.
@MainActor
private final class Press {
  var place = Point(x: 0, y: 0)
}
