import CGtk

extension Display {
  /// Keeps GDK from querying each new owner of an X11 selection.
  ///
  /// **Fault** (GTK 4.8): GDK requests the formats of each new owner, and then the name of every format that it does
  /// not know, with one round trip per name. 60,000 formats block the main thread for 8 s, even while the window is
  /// hidden.
  ///
  /// **Workaround**: deselects the events for new owners. Nothing here needs them: `Clipboard` is used only on Wayland.
  /// GDK still queries the owner once, when the display opens.
  ///
  /// **Remove it** when GDK queries an owner only if the program reads its clipboard.
  static func stopSelectionEvents() {
    typealias XDisplay = @convention(c) (OpaquePointer) -> UnsafeMutableRawPointer?
    typealias Select =
      @convention(c) (UnsafeMutableRawPointer, CUnsignedLong, CUnsignedLong, CUnsignedLong) -> Void
    typealias AtomByName = @convention(c) (OpaquePointer, UnsafePointer<CChar>) -> CUnsignedLong
    guard case .x11 = backend, let display = gdk_display_get_default(),
      let xDisplay = RuntimeSymbols.function("gdk_x11_display_get_xdisplay", as: XDisplay.self),
      let atom = RuntimeSymbols.function("gdk_x11_get_xatom_by_name_for_display", as: AtomByName.self),
      let select = RuntimeSymbols.function("XFixesSelectSelectionInput", as: Select.self),
      let connection = xDisplay(display), let leader = x11Leader
    else { return }
    for selection in ["CLIPBOARD", "PRIMARY"] {
      select(connection, CUnsignedLong(leader), atom(display, selection), 0)
    }
  }
}
