import CGtk

/// A window of the application.
@MainActor
public final class Window: Widget {
  /// Makes a window that is not shown yet.
  public convenience init(title: String) {
    self.init(new: gtk_window_new())
    gtk_window_set_title(cast(), title)
    dropMadeUpMotions()
  }

  /// Keeps the window above another one.
  public func stay(above parent: Window) { gtk_window_set_transient_for(cast(), parent.cast()) }

  /// Keeps the window above another one, which does nothing until it is closed, and takes it along.
  func wait(above parent: Window) {
    stay(above: parent)
    gtk_window_set_modal(cast(), 1)
    gtk_window_set_destroy_with_parent(cast(), 1)
  }

  /// Whether the window gets the keys that the desktop has taken for itself, as far as the desktop lets it.
  ///
  /// For the moment in which the user chooses keys; `noteInput` comes first.
  public var takesSystemShortcuts = false {
    didSet {
      guard takesSystemShortcuts != oldValue, let surface = gtk_native_get_surface(opaque) else { return }
      if takesSystemShortcuts {
        gdk_toplevel_inhibit_system_shortcuts(surface, lastInput?.event)
      } else {
        gdk_toplevel_restore_system_shortcuts(surface)
      }
    }
  }

  private var lastInput: InputEvent?
  private var activityNews: Timeout?
  /// Whether the desktop has given the focus to another window though GTK calls this one active.
  private var isLeft = false
  private var expectedFocus: ExpectedFocus?

  /// Remembers from now on the last key or button: with GTK 4.24 on X11, `takesSystemShortcuts` has to name it.
  public func noteInput() {
    onEvent { [weak self] event in
      switch gdk_event_get_event_type(event) {
      case GDK_KEY_PRESS, GDK_KEY_RELEASE, GDK_BUTTON_PRESS, GDK_BUTTON_RELEASE:
        self?.lastInput = InputEvent(event)
      default: break
      }
      return false
    }
  }

  /// Makes the window one of the application's, which runs for as long as it has windows.
  public func join(_ application: Application) { gtk_window_set_application(cast(), application.cast()) }

  /// The size without decorations, in pixels, to which a maximised window goes back.
  public var defaultSize: (width: Int, height: Int) {
    get {
      var width: gint = 0
      var height: gint = 0
      gtk_window_get_default_size(cast(), &width, &height)
      return (Int(width), Int(height))
    }
    set { gtk_window_set_default_size(cast(), gint(newValue.width), gint(newValue.height)) }
  }

  /// Whether the window fills the screen's work area.
  public var isMaximized: Bool {
    get { gtk_window_is_maximized(cast()) != 0 }
    set { newValue ? gtk_window_maximize(cast()) : gtk_window_unmaximize(cast()) }
  }

  /// Whether the user sees the window and works in it.
  ///
  /// GTK 4.8 leaves `is-active` set on a window that was hidden, also when it is shown again and has no focus yet. Every
  /// GTK leaves it set while a menu, or what else has the keyboard grabbed, is open, though the user works in another
  /// program's window by then.
  public var isShownAndActive: Bool { isVisible && gtk_window_is_active(cast()) != 0 && !isLeft }

  /// How many of this program's windows are on the screen.
  public static var shownCount: Int {
    let windows = Object(Owned(borrowing: gtk_window_get_toplevels()))
    return (0..<g_list_model_get_n_items(windows.opaque)).count { position in
      guard let item = g_list_model_get_object(windows.opaque, position) else { return false }
      return Window(Owned(taking: item)).isVisible
    }
  }

  /// Calls `body` when `isShownAndActive` may have changed; before the window is shown.
  public func onActivityChange(_ body: @escaping @MainActor () -> Void) {
    connect("notify::is-active") { [weak self] in
      self?.isLeft = false
      body()
    }
    connect("notify::visible") { [weak self] in
      guard let self else { return }
      // Until the desktop gives it the focus again.
      if !isVisible { self.isLeft = gtk_window_is_active(cast()) != 0 }
      body()
    }
    let isLeft: @MainActor (Bool) -> Void = { [weak self] isLeft in
      guard let self, self.isLeft != isLeft, !isLeft || gtk_window_is_active(cast()) != 0 else { return }
      self.isLeft = isLeft
      body()
    }
    connect("realize") { [weak self] in self?.followFocus(isLeft) }
    // The first frame waits for the compositor's configuration. If that gives the focus right away, the surface's state is
    // what it was before the window was hidden, and nothing is notified.
    connect("map") { [weak self] in self?.onNextFrame { self?.readFocus(isLeft) } }
  }

  /// Says what GTK does not say while it has a grab: whether the desktop has given the focus to another window.
  private func followFocus(_ isLeft: @escaping @MainActor (Bool) -> Void) {
    guard let surface = gtk_native_get_surface(opaque) else { return }
    if let number = x11Number {
      // Only some window managers tell GTK's surface; the server tells every window.
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
    guard x11Number == nil, let surface = gtk_native_get_surface(opaque) else { return }
    isLeft(gdk_toplevel_get_state(surface).rawValue & copypasta_GDK_TOPLEVEL_STATE_FOCUSED.rawValue == 0)
  }

  /// Calls `body` before the window closes; if it returns true, the window stays.
  public func onCloseRequest(_ body: @escaping @MainActor () -> Bool) {
    connectReturning("close-request", body)
  }

  /// Puts a header bar in the place of the title.
  public func setTitlebar(_ bar: HeaderBar) { gtk_window_set_titlebar(cast(), bar.widget) }

  /// Fills the window.
  public func setChild(_ child: Widget) { gtk_window_set_child(cast(), child.widget) }

  /// How long a window that is being shown may look active before it is.
  public static let focusLimit = ExpectedFocus.limit

  /// Shows the window in front, and asks for the focus.
  ///
  /// A window that was hidden is drawn with the focus from its first frame on: see `ExpectedFocus`.
  public func present(_ activation: Activation = .ambient) {
    let isNew = !isVisible
    if isNew { ExpectedFocus.restoreFocusStates(in: self) }
    if case .token(let token) = activation { gtk_window_set_startup_id(cast(), token) }
    copypasta_window_present(cast(), userTime(for: activation))
    if isNew { expectedFocus = ExpectedFocus(of: self) }
  }

  /// Styles and lays out what is in a hidden window, for which the first `present` would wait.
  ///
  /// Nothing is shown.
  public func layOut() {
    gtk_widget_realize(widget)
    // Each frame begins with the styles; the clock of a hidden window has none.
    if let clock = gtk_widget_get_frame_clock(widget) {
      copypasta_emit(UnsafeMutableRawPointer(clock), "update")
    }
    var size = (width: gint(defaultSize.width), height: gint(defaultSize.height))
    var least = gint(0)
    gtk_widget_measure(widget, GTK_ORIENTATION_HORIZONTAL, -1, &least, nil, nil, nil)
    size.width = max(size.width, least)
    gtk_widget_measure(widget, GTK_ORIENTATION_VERTICAL, size.width, &least, nil, nil, nil)
    gtk_widget_allocate(widget, size.width, max(size.height, least), -1, nil)
  }

  /// The time that an X11 window manager compares with that of the user's last key in another window.
  ///
  /// If the desktop did not say when the user asked, the time is now. Zero, for "unknown", on Wayland, and for a window
  /// that is shown for the first time.
  private func userTime(for activation: Activation) -> UInt32 {
    guard let surface = x11Surface else { return 0 }
    let time: UInt32
    switch activation {
    case .ambient: time = gdk_x11_get_server_time(surface)
    case .time(let pressed): time = pressed
    // GTK has taken it out of the startup id.
    case .token: return 0
    }
    gdk_x11_surface_set_user_time(surface, time)
    return time
  }

  /// The X server's number for the window; nil on Wayland, and before it is shown for the first time.
  public var x11Number: UInt32? { x11Surface.map { UInt32(truncatingIfNeeded: gdk_x11_surface_get_xid($0)) } }

  private var x11Surface: OpaquePointer? {
    guard let surface = gtk_native_get_surface(opaque),
      copypasta_is_a(UnsafeMutableRawPointer(surface), gdk_x11_surface_get_type()) != 0
    else { return nil }
    return surface
  }

  /// If the user works in the window, tells screen readers so once more in a second; does so only once.
  ///
  /// GTK makes a program known to screen readers when it has nothing else to do. If it has told before that the first
  /// window is active, Orca takes the window for one that is gone, and for a minute passes over what it announces. GTK
  /// has a function for this from 4.18 on.
  public func emitActivityAgain() {
    guard activityNews == nil, isShownAndActive, let tell = RuntimeSymbols.accessibleUpdatePlatformState
    else { return }
    activityNews = Timeout(after: .seconds(1)) { [weak self] in
      if let self, isShownAndActive { tell(opaque, RuntimeSymbols.activeState) }
    }
  }

  /// The name of the icon that panels and switchers show.
  public func setIcon(_ name: String) { gtk_window_set_icon_name(cast(), name) }

  /// Ends the window; GTK holds it until then.
  public func destroy() { gtk_window_destroy(cast()) }
}

/// The bar at a window's top.
@MainActor
public final class HeaderBar: Widget {
  /// Makes a header bar that shows the window's title, or another one, which gives way where there is no room.
  public convenience init(title: String? = nil, start: [Widget] = [], end: [Widget] = []) {
    self.init(new: gtk_header_bar_new())
    if let title {
      let label = Label(title)
      label.addStyle("title")
      let box = VanishingBox(label)
      withExtendedLifetime(box) { gtk_header_bar_set_title_widget(opaque, box.widget) }
    }
    for widget in start { gtk_header_bar_pack_start(opaque, widget.widget) }
    for widget in end { gtk_header_bar_pack_end(opaque, widget.widget) }
  }
}

/// An event that is kept beyond its handling.
@MainActor
private final class InputEvent {
  let event: OpaquePointer

  init(_ event: OpaquePointer) { self.event = gdk_event_ref(event) }

  isolated deinit { gdk_event_unref(event) }
}

/// Proof that the user asked for a window; without it a window manager may refuse the window the focus.
public enum Activation: Equatable, Sendable {
  /// The activation that GTK knows by itself, such as the token that came with a call over D-Bus.
  case ambient
  /// An activation token of Wayland, or a startup id of X11.
  case token(String)
  /// When the user pressed the key or button: the X server's time, in milliseconds.
  case time(UInt32)

  /// The activation that this program was started with.
  ///
  /// Call it before GTK starts, which takes the variable away. GTK 4.8 knows the name `DESKTOP_STARTUP_ID` only, so a
  /// token under the newer name is given that one too.
  public static func ofThisLaunch() -> Activation {
    let values = [g_getenv("XDG_ACTIVATION_TOKEN"), g_getenv("DESKTOP_STARTUP_ID")].compactMap(\.self)
    guard let token = values.map({ String(cString: $0) }).first(where: { $0 != "" }) else { return .ambient }
    g_setenv("DESKTOP_STARTUP_ID", token, 0)
    // A token counts once: programs that this one starts must not inherit it.
    g_unsetenv("XDG_ACTIVATION_TOKEN")
    return .token(token)
  }
}

/// A dialog that asks before something is done that cannot be taken back.
@MainActor
public enum ConfirmationDialog {
  /// Asks over a window, which waits meanwhile; `confirmed` is called if the user wants it done.
  ///
  /// - Parameters:
  ///   - title: the question itself.
  ///   - text: what will happen.
  ///   - action: the button that does it, with `_` before its letter.
  public static func ask(
    over parent: Window, title: String, text: String, action: String,
    _ confirmed: @escaping @MainActor () -> Void
  ) {
    // Task switchers show the title.
    let window = Window(title: title)
    window.addStyle("question")
    window.setAccessibleRole(.dialog)
    window.setAccessibleDescription(text)
    // A bar that is hidden: GTK draws the edges then, as of all windows, and the window manager no bar of its own.
    let bar = HeaderBar()
    bar.isVisible = false
    window.setTitlebar(bar)
    let close: @MainActor () -> Void = { [pointer = window.cast(to: GtkWindow.self)] in
      gtk_window_destroy(pointer)
    }
    let cancel = Button(label: tr("_Cancel"), close)
    let confirm = Button(label: action) {
      // Closed first: the action may move the focus in the window.
      close()
      confirmed()
    }
    confirm.addStyle("destructive-action")
    confirm.expand(horizontally: true)
    let (heading, body) = (Label(title), Label(text))
    heading.addStyle("title")
    for label in [heading, body] {
      label.wrap()
      label.center()
      label.limitWidth(toCharacters: 40)
    }
    let page = Box(.vertical, spacing: 12, [heading, body, ReflowingBox(cancel, confirm)])
    page.addStyle("page")
    window.setChild(ScrolledWindow(child: page, isAsLargeAsItsChild: true))
    window.onKeys(["Escape"]) {
      close()
      return true
    }
    window.wait(above: parent)
    // The button that Enter presses.
    gtk_window_set_focus(window.cast(), cancel.widget)
    window.present()
  }
}
