import CGtk

extension Window {
  /// Drops motion events that GDK synthesises, before the window's controllers get them.
  ///
  /// **Fault** (GTK 4.8 to 4.24): after a layout, GDK queries the pointer and synthesises a motion event with time 0.
  /// If the user has released a button but GDK has not read the release yet, gestures cancel their press, and the click
  /// is lost. A scrolled window treats the event as a motion by the user, and fades its scroll bar in and out. A window
  /// that appeared under a resting pointer was therefore drawn some 50 times in a second.
  ///
  /// **Workaround**: stops the propagation of these events. GTK has already determined the widget under the pointer
  /// from them.
  ///
  /// **Remove it** when GDK synthesises no motions, or gestures and scrolled windows ignore them.
  func dropMadeUpMotions() {
    onEvent { gdk_event_get_event_type($0) == GDK_MOTION_NOTIFY && gdk_event_get_time($0) == 0 }
  }
}
