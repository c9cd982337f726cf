import CGtk
import Glibc

extension Display {
  /// Calls when the X server or the compositor has gone.
  ///
  /// GDK ends the process then, at once, from within whatever asks for the next event or draws: so the handler must end
  /// it by itself, and may not run the main loop before (see `MainLoop.finish`). It is called once. On Wayland the process
  /// ends 5 s later in any case, with status 1.
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
    guard backend == .wayland else { return }
    listenToGdk()
    endWhereStuck(descriptor)
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

  /// What asks a compositor that has gone for something, between two looks of the main loop, has GDK say so and end the
  /// process at once.
  private static func listenToGdk() {
    guard !isListening else { return }
    isListening = true
    let writer: GLogWriterFunc = { level, fields, count, _ in
      // Only the thread of the main loop asks the display for anything.
      if g_main_context_is_owner(nil) != 0 { MainActor.assumeIsolated { Display.endWhereGone() } }
      return g_log_writer_default(level, fields, count, nil)
    }
    g_log_set_writer_func(writer, nil, nil)
  }

  /// A program can set GLib's writer once.
  private static var isListening = false

  private static func endWhereGone() {
    guard let connectionDescriptor else { return }
    var connection = pollfd(fd: connectionDescriptor, events: 0, revents: 0)
    guard poll(&connection, 1, 0) > 0, Int32(connection.revents) & (POLLHUP | POLLERR) != 0 else { return }
    lost()
  }

  /// GDK 4.8 waits without end for the answer to a new window, also of a compositor that has gone: only another thread
  /// can end the process then, once an orderly end had its time.
  private static func endWhereStuck(_ descriptor: Int32) {
    let watch: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { descriptor in
      var connection = pollfd(fd: Int32(Int(bitPattern: descriptor)), events: 0, revents: 0)
      while poll(&connection, 1, -1) < 1 {}
      sleep(5)
      _exit(1)
    }
    var thread = pthread_t()
    pthread_create(&thread, nil, watch, UnsafeMutableRawPointer(bitPattern: Int(descriptor)))
    pthread_detach(thread)
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
}
