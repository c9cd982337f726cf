import CGtk

extension Display {
  /// Keeps GDK from looking at each new owner of an X11 selection, of whatever program.
  ///
  /// **Fault** (GTK 4.8): GDK asks a new owner for its formats, and then, one round trip each, for the name of every one
  /// that it does not know: 60,000 of them stop the main thread for 8 s, also while the window is hidden.
  ///
  /// **Workaround**: GDK gets no events of new owners. Nothing here needs them: `Clipboard` is for Wayland. The owner at
  /// the start has been asked by now.
  ///
  /// **It can go** when GDK asks an owner only if the program reads its clipboard.
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
