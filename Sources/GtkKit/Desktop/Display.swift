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
  public static func open() -> Bool { gtk_init_check() != 0 }

  /// The backend of the default display.
  public static var backend: Backend {
    guard let display = gdk_display_get_default() else { return .other }
    guard isOfType("GdkX11Display", display) else {
      return isOfType("GdkWaylandDisplay", display) ? .wayland : .other
    }
    return .x11(name: String(cString: gdk_display_get_name(display)))
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

  /// Calls when the X server or the compositor has gone.
  ///
  /// GDK ends the process then, at once, from within whatever asks for the next event or draws: so the handler must end
  /// it by itself, and may not run the main loop before (see `MainLoop.finish`). It is called once.
  public static func onLoss(_ body: @escaping @MainActor () -> Void) {
    lossHandler = body
    guard let descriptor = connectionDescriptor else { return }
    let lost: @MainActor @convention(c) (gint, GIOCondition, gpointer?) -> gboolean = { _, _, _ in
      Display.lost()
      return 0
    }
    // Before GDK, whose sources have the default priority: those of a lower one are not even asked then.
    g_unix_fd_add_full(
      G_PRIORITY_HIGH, descriptor, GIOCondition(rawValue: G_IO_HUP.rawValue | G_IO_ERR.rawValue),
      unsafeBitCast(lost, to: GUnixFDSourceFunc.self), nil, nil)
    replaceXlibHandler()
  }

  private static var lossHandler: (@MainActor () -> Void)?

  private static func lost() {
    // What the handler does may ask the display for something, and find once more that it has gone.
    let handler = lossHandler
    lossHandler = nil
    handler?()
  }

  /// An X server that ends in good order closes the windows first: GDK answers, and Xlib finds the server gone.
  private static func replaceXlibHandler() {
    typealias Handler = @MainActor @convention(c) (OpaquePointer?) -> CInt
    typealias Setter = @convention(c) (Handler) -> UnsafeRawPointer?
    guard case .x11 = backend, let setter = dlsym(nil, "XSetIOErrorHandler") else { return }
    let found: Handler = { _ in
      Display.lost()
      _exit(1)
    }
    _ = unsafeBitCast(setter, to: Setter.self)(found)
  }

  /// The socket to the X server or the compositor.
  private static var connectionDescriptor: Int32? {
    guard let display = gdk_display_get_default() else { return nil }
    if isOfType("GdkX11Display", display) {
      return descriptor(of: display, "gdk_x11_display_get_xdisplay", "XConnectionNumber")
    }
    if isOfType("GdkWaylandDisplay", display) {
      return descriptor(of: display, "gdk_wayland_display_get_wl_display", "wl_display_get_fd")
    }
    return nil
  }

  /// Asks by functions that are looked up: a GTK that was built without one of the backends lacks its function.
  private static func descriptor(
    of display: OpaquePointer, _ connectionGetter: String, _ descriptorGetter: String
  ) -> Int32? {
    typealias ConnectionGetter = @convention(c) (OpaquePointer) -> UnsafeMutableRawPointer?
    typealias DescriptorGetter = @convention(c) (UnsafeMutableRawPointer) -> CInt
    guard let connectionOf = dlsym(nil, connectionGetter), let descriptorOf = dlsym(nil, descriptorGetter),
      let connection = unsafeBitCast(connectionOf, to: ConnectionGetter.self)(display)
    else { return nil }
    return unsafeBitCast(descriptorOf, to: DescriptorGetter.self)(connection)
  }

  private static func isOfType(_ name: String, _ display: OpaquePointer) -> Bool {
    let type = g_type_name_from_instance(UnsafeMutablePointer<GTypeInstance>(display))
    return type.map { String(cString: $0) } == name
  }
}
