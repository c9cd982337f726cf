import CGtk
import Glibc

/// The display that the program uses: its screen, keyboard and clipboard.
@MainActor
public enum Display {
  /// The window system of the display.
  public enum Backend: Equatable, Sendable {
    /// An X server; `name` is the display name to connect to.
    case x11(name: String)
    /// A Wayland compositor.
    case wayland
    /// Another GDK backend.
    case other
  }

  /// Opens the default display.
  ///
  /// - Returns: false if no display is available.
  public static func open() -> Bool {
    guard gtk_init_check() != 0 else { return false }
    stopSelectionEvents()
    return true
  }

  /// Keeps GDK from querying each new owner of an X11 selection.
  ///
  /// GDK requests the formats, and then the name of each format that it does not know, with a round trip for each:
  /// 60,000 of them block the main thread for 8 s (GTK 4.8), even while the window is hidden. They are not needed,
  /// because `Clipboard` is used on Wayland only. The owner at the start has already been queried.
  private static func stopSelectionEvents() {
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

  /// The X11 id of GDK's first window, which is never shown; nil on other backends.
  public static var x11Leader: UInt32? {
    typealias Leader = @convention(c) (OpaquePointer) -> OpaquePointer?
    guard case .x11 = backend, let display = gdk_display_get_default(),
      let leader = RuntimeSymbols.function("gdk_x11_display_get_default_group", as: Leader.self),
      let surface = leader(display)
    else { return nil }
    return UInt32(truncatingIfNeeded: gdk_x11_surface_get_xid(surface))
  }

  /// The backend of the default display.
  public static var backend: Backend {
    guard let display = gdk_display_get_default() else { return .other }
    guard isOfType("GdkX11Display", display) else {
      return isOfType("GdkWaylandDisplay", display) ? .wayland : .other
    }
    return .x11(name: String(cString: gdk_display_get_name(display)))
  }

  /// Whether transparent parts of windows show what is behind them; without a compositor, an X server shows black
  /// there.
  public static var isComposited: Bool {
    guard let display = gdk_display_get_default() else { return true }
    return gdk_display_is_composited(display) != 0
  }

  /// Calls `body` when `isComposited` changes, while the display is open.
  public static func onCompositionChange(_ body: @escaping @MainActor () -> Void) {
    guard let display = gdk_display_get_default() else { return }
    Object(Owned(borrowing: display)).connect("notify::composited", body)
  }

  /// Whether the user's language is written from right to left.
  public static var isRightToLeft: Bool { gtk_widget_get_default_direction() == GTK_TEXT_DIR_RTL }

  /// Sets environment variables that GTK reads at its start, unless the user has set them.
  ///
  /// They select drawing with cairo and disable the search for a GPU, which on a machine without one takes longer than
  /// the rest of the start. Call this before `open`.
  public static func preferFastStart() {
    g_setenv("GSK_RENDERER", "cairo", 0)
    // Since GTK 4.16 another variable does this, and GTK warns about the old value.
    let hasOwnVariable = gtk_get_major_version() > 4 || gtk_get_minor_version() >= 16
    g_setenv(hasOwnVariable ? "GDK_DISABLE" : "GDK_DEBUG", hasOwnVariable ? "gl,vulkan" : "gl-disable", 0)
  }

  private static func isOfType(_ name: String, _ display: OpaquePointer) -> Bool {
    let type = g_type_name_from_instance(UnsafeMutablePointer<GTypeInstance>(display))
    return type.map { String(cString: $0) } == name
  }

  // MARK: - The end of the display

  /// Calls `body` when the connection to the X server or the compositor is lost.
  ///
  /// GDK then exits the process from within the next call that reads events or draws. Therefore a handler must exit the
  /// process itself, and must not run the main loop before (see `MainLoop.finish`). Handlers are called once, in the
  /// order of registration.
  public static func onLoss(_ body: @escaping @MainActor () -> Void) {
    lossHandlers.append(body)
    guard lossHandlers.count == 1, let descriptor = connectionDescriptor else { return }
    let lost: @MainActor @convention(c) (gint, GIOCondition, gpointer?) -> gboolean = { _, _, _ in
      Display.lost()
      return 0
    }
    // Use a higher priority than GDK's sources, so that GLib dispatches this source and does not check theirs.
    g_unix_fd_add_full(
      G_PRIORITY_HIGH, descriptor,
      GIOCondition(rawValue: copypasta_G_IO_HUP.rawValue | copypasta_G_IO_ERR.rawValue),
      unsafeBitCast(lost, to: GUnixFDSourceFunc.self), nil, nil)
    replaceXlibHandler()
    if backend == .wayland { listenToGdk() }
  }

  private static var lossHandlers: [@MainActor () -> Void] = []

  private static func lost() {
    // A handler may use the display, and detect its loss again.
    let handlers = lossHandlers
    lossHandlers = []
    for handler in handlers { handler() }
  }

  /// When an X server shuts down, it closes the windows first; GDK reacts, and Xlib detects the loss of the server.
  private static func replaceXlibHandler() {
    typealias Handler = @MainActor @convention(c) (OpaquePointer?) -> CInt
    typealias Setter = @convention(c) (Handler) -> UnsafeRawPointer?
    guard case .x11 = backend,
      let set = RuntimeSymbols.function("XSetIOErrorHandler", as: Setter.self)
    else { return }
    let found: Handler = { _ in
      Display.lost()
      _exit(1)
    }
    _ = set(found)
  }

  /// Detects a lost compositor when GDK logs a failed request between two iterations of the main loop, and is about to
  /// exit.
  private static func listenToGdk() {
    let writer: GLogWriterFunc = { level, fields, count, _ in
      // Only the main loop's thread uses the display.
      if g_main_context_is_owner(nil) != 0 { MainActor.assumeIsolated { Display.endWhereGone() } }
      return g_log_writer_default(level, fields, count, nil)
    }
    g_log_set_writer_func(writer, nil, nil)
  }

  private static func endWhereGone() {
    guard let connectionDescriptor else { return }
    var connection = pollfd(fd: connectionDescriptor, events: 0, revents: 0)
    guard poll(&connection, 1, 0) > 0, Int32(connection.revents) & (POLLHUP | POLLERR) != 0 else { return }
    lost()
  }

  /// The descriptor of the connection to the X server or the compositor.
  private static var connectionDescriptor: Int32? {
    guard let display = gdk_display_get_default() else { return nil }
    return switch backend {
    case .x11: descriptor(of: display, "gdk_x11_display_get_xdisplay", "XConnectionNumber")
    case .wayland: descriptor(of: display, "gdk_wayland_display_get_wl_display", "wl_display_get_fd")
    case .other: nil
    }
  }

  /// Returns the descriptor, by functions that are looked up because a GTK built without the backend lacks them.
  private static func descriptor(
    of display: OpaquePointer, _ connectionGetter: String, _ descriptorGetter: String
  ) -> Int32? {
    typealias ConnectionGetter = @convention(c) (OpaquePointer) -> UnsafeMutableRawPointer?
    typealias DescriptorGetter = @convention(c) (UnsafeMutableRawPointer) -> CInt
    guard let connectionOf = RuntimeSymbols.function(connectionGetter, as: ConnectionGetter.self),
      let descriptorOf = RuntimeSymbols.function(descriptorGetter, as: DescriptorGetter.self),
      let connection = connectionOf(display)
    else { return nil }
    return descriptorOf(connection)
  }
}
