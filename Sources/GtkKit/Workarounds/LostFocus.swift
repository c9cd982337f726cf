import CGtk

extension Window {
  /// Updates `isLeft` and calls `changed` when the desktop moves the focus to another window or back.
  ///
  /// **Fault** (GTK 4.8): `is-active` stays set on a hidden window, even when the window is shown again and does not
  /// have the focus yet. (GTK 4.8 to 4.24): `is-active` stays set while a menu or another grab holds the keyboard, even
  /// if the user already works in another program's window.
  ///
  /// **Workaround**: follows the X server's focus events, or the window state that the compositor sends.
  ///
  /// **Remove it** when `is-active` is true only of a window with the focus.
  func followFocus(changed: @escaping @MainActor () -> Void) {
    let isLeft: @MainActor (Bool) -> Void = { [weak self] isLeft in
      guard let self, self.isLeft != isLeft, !isLeft || gtk_window_is_active(cast()) != 0 else { return }
      self.isLeft = isLeft
      changed()
    }
    followKeyboard()
    connect("realize") { [weak self] in self?.follow(isLeft) }
    // Read the state after the first frame, because GTK draws it only after the compositor's configuration has arrived.
    // If the window gets the focus immediately, its state is the same as before it was hidden, so GDK does not report a
    // change.
    connect("map") { [weak self] in self?.onNextFrame { self?.readFocus(isLeft) } }
  }

  private func follow(_ isLeft: @escaping @MainActor (Bool) -> Void) {
    guard let surface = gtk_native_get_surface(opaque) else { return }
    if let number = x11Number {
      // Use the server's events, because only some window managers update the state of GTK's surface.
      let display = Object(Owned(borrowing: gdk_surface_get_display(surface)))
      let connection = display.connectReturning("xevent") { (event: OpaquePointer) -> Bool in
        let change = copypasta_focus_change(UnsafeRawPointer(event), CUnsignedLong(number))
        if change != 0 { isLeft(change < 0) }
        return false
      }
      connectOnce("unrealize") { display.disconnect(connection) }
    } else {
      Object(Owned(borrowing: surface)).connect("notify::state") { [weak self] in self?.readFocus(isLeft) }
    }
  }

  /// Reads from a compositor's last configuration whether the window has the focus.
  private func readFocus(_ isLeft: @MainActor (Bool) -> Void) {
    guard x11Number == nil, gtk_native_get_surface(opaque) != nil else { return }
    isLeft(!isFocusedByCompositor)
  }

  /// Updates `isWithoutKeyboard`.
  ///
  /// **Fault** (mutter 51): a window that the user leaves by switching to another workspace keeps the state of a window
  /// with the focus.
  ///
  /// **Workaround**: follows the keyboard, which Wayland reports for each of the window's surfaces.
  ///
  /// **Remove it** when mutter's windows on other workspaces lose that state.
  private func followKeyboard() {
    onEvent(withMenus: true) { [weak self] event in
      if let self, gdk_event_get_event_type(event) == GDK_FOCUS_CHANGE {
        isWithoutKeyboard = x11Number == nil && gdk_focus_event_get_in(event) == 0
      }
      return false
    }
  }
}
