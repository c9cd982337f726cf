import CGtk

/// The display that the program uses: its screen, keyboard and clipboard.
@MainActor
public enum Display {
  public enum Backend: Equatable, Sendable {
    /// An X server; `name` is the display name to connect to.
    case x11(name: String)
    case wayland
    case other
  }

  /// Opens the default display; returns false if no display is available.
  public static func open() -> Bool {
    guard gtk_init_check() != 0 else { return false }
    stopSelectionEvents()
    drawTextByDesktopSettings()
    return true
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

  public static var isRightToLeft: Bool { gtk_widget_get_default_direction() == GTK_TEXT_DIR_RTL }

  /// Sets environment variables that GTK reads at startup, unless the user has set them.
  ///
  /// They select drawing with cairo and disable the search for a GPU, which on a machine without a GPU takes longer
  /// than the rest of the start. Call this before `open`.
  public static func preferFastStart() {
    g_setenv("GSK_RENDERER", "cairo", 0)
    // GTK 4.16 has replaced `GDK_DEBUG=gl-disable` with `GDK_DISABLE`, and warns about the old value.
    let hasOwnVariable = gtk_get_major_version() > 4 || gtk_get_minor_version() >= 16
    g_setenv(hasOwnVariable ? "GDK_DISABLE" : "GDK_DEBUG", hasOwnVariable ? "gl,vulkan" : "gl-disable", 0)
  }

  /// Draws text by the desktop's font settings, as GTK before 4.16 does.
  ///
  /// In its automatic mode, GTK 4.24 with cairo underestimates the area of a text at some font sizes. When rows move,
  /// it then leaves parts of their letters behind.
  private static func drawTextByDesktopSettings() {
    guard g_getenv("GSK_RENDERER").map({ String(cString: $0) }) == "cairo" else { return }
    // The value `GTK_FONT_RENDERING_MANUAL`, which older headers lack.
    Object(Owned(borrowing: gtk_settings_get_default()))[property: "gtk-font-rendering"] = .number(1)
  }

  private static func isOfType(_ name: String, _ display: OpaquePointer) -> Bool {
    let type = g_type_name_from_instance(UnsafeMutablePointer<GTypeInstance>(display))
    return type.map { String(cString: $0) } == name
  }
}
