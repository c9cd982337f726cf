import CGtk

extension Window {
  /// Keeps motions of the pointer that GDK makes up from the window's controllers.
  ///
  /// **Fault** (GTK 4.8 to 4.24): after a layout GDK asks where the pointer is, and makes a motion of the answer, with the
  /// time 0. If a button is up there and its release not read yet, gestures give up their press, and the click is lost. A
  /// scrolled window takes it for the user's hand, and fades its scroll bar in and out: with the pointer resting on it,
  /// each popup was drawn some 50 times in a second.
  ///
  /// **Workaround**: such a motion goes no further. GTK has found what lies under the pointer before, from the same event.
  ///
  /// **It can go** when GDK makes up no motions, or gestures and scrolled windows pass them over.
  func dropMadeUpMotions() {
    onEvent { gdk_event_get_event_type($0) == GDK_MOTION_NOTIFY && gdk_event_get_time($0) == 0 }
  }
}
