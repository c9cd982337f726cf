import CGtk

extension Widget {
  /// Calls with each key that is pressed while the widget has the keyboard, before anything within it gets to know
  /// of it; the answer says whether the key was dealt with.
  ///
  /// It is named as the keyboard's first Latin layout has it without Shift, as accelerators are.
  public final func onKeyPress(_ body: @escaping @MainActor (Accelerator) -> Bool) {
    let keys = Object(
      Owned(taking: UnsafeMutableRawPointer(gtk_event_controller_key_new().unsafelyUnwrapped)))
    keys.connectKeyPress { key, code, state in
      body(
        Accelerator(key: latinKey(at: code) ?? key, modifiers: Accelerator.Modifiers(rawValue: state)))
    }
    gtk_event_controller_set_propagation_phase(keys.opaque, GTK_PHASE_CAPTURE)
    gtk_widget_add_controller(widget, OpaquePointer(g_object_ref(keys.raw)))
  }
}

/// What the key of a code means without modifiers, in the first layout in which that is a character of ASCII or no
/// character at all, such as F12.
@MainActor
private func latinKey(at code: UInt32) -> UInt32? {
  guard let display = gdk_display_get_default() else { return nil }
  var places: UnsafeMutablePointer<GdkKeymapKey>?
  var keys: UnsafeMutablePointer<guint>?
  var count: gint = 0
  guard gdk_display_map_keycode(display, code, &places, &keys, &count) != 0, let places, let keys else {
    return nil
  }
  defer {
    g_free(places)
    g_free(keys)
  }
  let plain = (0..<Int(count)).filter { places[$0].level == 0 }.sorted { places[$0].group < places[$1].group }
  return plain.map { keys[$0] }.first { gdk_keyval_to_unicode($0) < 0x80 }
}
