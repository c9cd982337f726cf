import CGtk
import Glibc

/// The screen, keyboard and clipboard that the program works with.
@MainActor
public enum Display {
  /// What the display is reached by.
  public enum Backend: Equatable, Sendable {
    /// An X server, by the name to connect to it with.
    case x11(name: String)
    /// A Wayland compositor.
    case wayland
    /// Another one of GDK's backends.
    case other
  }

  /// Opens the default display; answers false where there is none.
  public static func open() -> Bool {
    guard gtk_init_check() != 0 else { return false }
    stopFollowingSelections()
    return true
  }

  /// Keeps GDK from looking at each new owner of an X11 selection, of whatever program.
  ///
  /// It asks for the formats, and then, one round trip each, for the name of every one that it does not know: 60,000 of
  /// them stop the main thread for 8 s (GTK 4.8), also while the window is hidden. Nothing here needs them: `Clipboard` is
  /// for Wayland. The owner at the start has been asked by now.
  private static func stopFollowingSelections() {
    typealias XDisplay = @convention(c) (OpaquePointer) -> UnsafeMutableRawPointer?
    typealias Leader = @convention(c) (OpaquePointer) -> OpaquePointer?
    typealias Select =
      @convention(c) (UnsafeMutableRawPointer, CUnsignedLong, CUnsignedLong, CUnsignedLong) -> Void
    typealias AtomByName = @convention(c) (OpaquePointer, UnsafePointer<CChar>) -> CUnsignedLong
    guard case .x11 = backend, let display = gdk_display_get_default(),
      let xDisplay = dlsym(nil, "gdk_x11_display_get_xdisplay"),
      let leader = dlsym(nil, "gdk_x11_display_get_default_group"),
      let atomByName = dlsym(nil, "gdk_x11_get_xatom_by_name_for_display"),
      let select = dlsym(nil, "XFixesSelectSelectionInput"),
      let connection = unsafeBitCast(xDisplay, to: XDisplay.self)(display),
      let surface = unsafeBitCast(leader, to: Leader.self)(display)
    else { return }
    for selection in ["CLIPBOARD", "PRIMARY"] {
      let atom = unsafeBitCast(atomByName, to: AtomByName.self)(display, selection)
      unsafeBitCast(select, to: Select.self)(connection, gdk_x11_surface_get_xid(surface), atom, 0)
    }
  }

  /// The backend of the default display.
  public static var backend: Backend {
    guard let display = gdk_display_get_default() else { return .other }
    guard isOfType("GdkX11Display", display) else {
      return isOfType("GdkWaylandDisplay", display) ? .wayland : .other
    }
    return .x11(name: String(cString: gdk_display_get_name(display)))
  }

  /// Whether something puts the windows together, so that what they leave transparent shows what lies behind them; a
  /// plain X server shows black there.
  public static var isComposited: Bool {
    guard let display = gdk_display_get_default() else { return true }
    return gdk_display_is_composited(display) != 0
  }

  /// Calls when `isComposited` has changed; for as long as the display is open.
  public static func onCompositionChange(_ body: @escaping @MainActor () -> Void) {
    guard let display = gdk_display_get_default() else { return }
    Object(Owned(borrowing: UnsafeMutableRawPointer(display))).connectNotify("composited", body)
  }

  /// Whether the user's language is written from right to left.
  public static var isRightToLeft: Bool { gtk_widget_get_default_direction() == GTK_TEXT_DIR_RTL }

  /// Sets what GTK reads from the environment when it starts, where the user set nothing: drawing by cairo,
  /// and no look for a GPU, which without one takes longer than everything else together.
  ///
  /// Call it before `open`.
  public static func preferFastStart() {
    g_setenv("GSK_RENDERER", "cairo", 0)
    // From GTK 4.16 on there is a variable of its own for it, and the old word is complained about.
    let hasOwnVariable = gtk_get_major_version() > 4 || gtk_get_minor_version() >= 16
    g_setenv(hasOwnVariable ? "GDK_DISABLE" : "GDK_DEBUG", hasOwnVariable ? "gl,vulkan" : "gl-disable", 0)
  }

  static func isOfType(_ name: String, _ display: OpaquePointer) -> Bool {
    let type = g_type_name_from_instance(UnsafeMutablePointer<GTypeInstance>(display))
    return type.map { String(cString: $0) } == name
  }
}
