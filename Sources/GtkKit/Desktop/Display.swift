import CGtk
import Glibc

/// The screen, keyboard and clipboard that the program works with.
@MainActor
public enum Display {
  /// The window system of the display.
  public enum Backend: Equatable, Sendable {
    /// An X server, by the name to connect to it with.
    case x11(name: String)
    /// A Wayland compositor.
    case wayland
    /// Another one of GDK's backends.
    case other
  }

  /// Opens the default display.
  ///
  /// - Returns: false if there is none.
  public static func open() -> Bool {
    guard gtk_init_check() != 0 else { return false }
    stopSelectionEvents()
    return true
  }

  /// Keeps GDK from looking at each new owner of an X11 selection, of whatever program.
  ///
  /// GDK asks for the formats, and then, one round trip each, for the name of every one that it does not know: 60,000
  /// of them stop the main thread for 8 s (GTK 4.8), also while the window is hidden. Nothing here needs them:
  /// `Clipboard` is for Wayland. The owner at the start has been asked by now.
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

  /// The X server's number of GDK's first window, which is never shown; nil where that is no X server.
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

  /// Whether a compositor shows what lies behind the transparent parts of windows; a plain X server shows black there.
  public static var isComposited: Bool {
    guard let display = gdk_display_get_default() else { return true }
    return gdk_display_is_composited(display) != 0
  }

  /// Calls `body` when `isComposited` has changed; for as long as the display is open.
  public static func onCompositionChange(_ body: @escaping @MainActor () -> Void) {
    guard let display = gdk_display_get_default() else { return }
    Object(Owned(borrowing: display)).connect("notify::composited", body)
  }

  /// Whether the user's language is written from right to left.
  public static var isRightToLeft: Bool { gtk_widget_get_default_direction() == GTK_TEXT_DIR_RTL }

  /// Sets what GTK reads from the environment when it starts, if the user set nothing: drawing by cairo,
  /// and no look for a GPU, which without one takes longer than everything else together.
  ///
  /// Call it before `open`.
  public static func preferFastStart() {
    g_setenv("GSK_RENDERER", "cairo", 0)
    // From GTK 4.16 on a variable of its own does this, and GTK complains of the old word.
    let hasOwnVariable = gtk_get_major_version() > 4 || gtk_get_minor_version() >= 16
    g_setenv(hasOwnVariable ? "GDK_DISABLE" : "GDK_DEBUG", hasOwnVariable ? "gl,vulkan" : "gl-disable", 0)
  }

  private static func isOfType(_ name: String, _ display: OpaquePointer) -> Bool {
    let type = g_type_name_from_instance(UnsafeMutablePointer<GTypeInstance>(display))
    return type.map { String(cString: $0) } == name
  }

  // MARK: - The end of the display

  /// Calls `body` when the X server or the compositor has gone.
  ///
  /// GDK ends the process then, at once, from within whatever asks for the next event or draws: so a handler must
  /// end the process by itself, and may not run the main loop before (see `MainLoop.finish`). Handlers are called once,
  /// in the order in which they were given.
  public static func onLoss(_ body: @escaping @MainActor () -> Void) {
    lossHandlers.append(body)
    guard lossHandlers.count == 1, let descriptor = connectionDescriptor else { return }
    let lost: @MainActor @convention(c) (gint, GIOCondition, gpointer?) -> gboolean = { _, _, _ in
      Display.lost()
      return 0
    }
    // Before GDK, whose sources have the default priority: sources of a lower one are not even asked then.
    g_unix_fd_add_full(
      G_PRIORITY_HIGH, descriptor,
      GIOCondition(rawValue: copypasta_G_IO_HUP.rawValue | copypasta_G_IO_ERR.rawValue),
      unsafeBitCast(lost, to: GUnixFDSourceFunc.self), nil, nil)
    replaceXlibHandler()
    if backend == .wayland { listenToGdk() }
  }

  private static var lossHandlers: [@MainActor () -> Void] = []

  private static func lost() {
    // A handler may itself ask the display for something, and find once more that it has gone.
    let handlers = lossHandlers
    lossHandlers = []
    for handler in handlers { handler() }
  }

  /// An X server that ends in good order closes the windows first: GDK answers, and Xlib finds the server gone.
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

  /// A request to a compositor that has gone, between two turns of the main loop, has GDK say so and end the
  /// process at once.
  private static func listenToGdk() {
    let writer: GLogWriterFunc = { level, fields, count, _ in
      // Only the thread of the main loop asks the display for anything.
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

  /// The socket to the X server or the compositor.
  private static var connectionDescriptor: Int32? {
    guard let display = gdk_display_get_default() else { return nil }
    return switch backend {
    case .x11: descriptor(of: display, "gdk_x11_display_get_xdisplay", "XConnectionNumber")
    case .wayland: descriptor(of: display, "gdk_wayland_display_get_wl_display", "wl_display_get_fd")
    case .other: nil
    }
  }

  /// The descriptor, by functions that are looked up: a GTK that was built without a backend lacks its function.
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
