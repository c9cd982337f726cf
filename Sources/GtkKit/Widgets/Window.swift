import CGtk

@MainActor
public final class Window: Widget {
  public convenience init(title: String) {
    self.init(new: gtk_window_new())
    gtk_window_set_title(cast(), title)
    dropMadeUpMotions()
  }

  /// Keeps the window above `parent`.
  public func setTransient(for parent: Window) { gtk_window_set_transient_for(cast(), parent.cast()) }

  /// Whether the window receives keys that the desktop has reserved, if the desktop permits it.
  ///
  /// Set it while the user chooses a shortcut; call `noteInput` beforehand.
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
  private var activityUpdate: Timeout?
  /// Whether another window has the focus although GTK considers this window active; see `followFocus`.
  var isLeft: Bool {
    // Stored in GTK's object, because `shown` makes new wrappers.
    get { g_object_get_data(cast(), "copypasta-is-left") != nil }
    set { g_object_set_data(cast(), "copypasta-is-left", newValue ? raw : nil) }
  }
  /// Whether the keyboard is elsewhere although the window may have the focus; only on Wayland, see `followFocus`.
  public internal(set) var isWithoutKeyboard: Bool {
    get { g_object_get_data(cast(), "copypasta-is-without-keyboard") != nil }
    set { g_object_set_data(cast(), "copypasta-is-without-keyboard", newValue ? raw : nil) }
  }
  private var expectedFocus: ExpectedFocus?
  private let activityListeners = Shared<[@MainActor () -> Void]>([])

  /// Stores each key and button event from now on: on X11 with GTK 4.24, `takesSystemShortcuts` needs the latest one.
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

  /// Calls `body` with the desktop's time of each press of a key, a button or a finger, in the window or in its menus.
  public func onPress(_ body: @escaping @MainActor (UInt32) -> Void) {
    let press: @MainActor (OpaquePointer) -> Bool = { event in
      switch gdk_event_get_event_type(event) {
      case GDK_KEY_PRESS, GDK_BUTTON_PRESS, GDK_TOUCH_BEGIN: body(gdk_event_get_time(event))
      default: break
      }
      return false
    }
    onEvent(press)
    onEachMenu(mark: "copypasta-menu-presses") { $0.onEvent(press) }
  }

  /// Lets menus and keys in the window activate the application's actions.
  public func join(_ application: Application) {
    gtk_widget_insert_action_group(widget, "app", application.opaque)
    for (action, keys) in application.keys { addKeys(keys, running: action) }
    onMenuKey { [weak application] in application?.onMenuKey?($0) ?? false }
  }

  /// Calls `body` with each key that is pressed while a menu or a drop-down list of this window is open.
  func onMenuKey(_ body: @escaping @MainActor (Accelerator) -> Bool) {
    onEachMenu(mark: "copypasta-menu-keys") { $0.onKeyPress(body) }
  }

  /// Calls `body` once for each menu and drop-down list of this window, when it first gets the focus.
  ///
  /// Their keys and presses do not pass through the window.
  private func onEachMenu(mark: String, _ body: @escaping @MainActor (Widget) -> Void) {
    connect("notify::focus-widget") { [weak self] in
      guard let self, let focus = gtk_window_get_focus(cast()),
        let popover = gtk_widget_get_ancestor(focus, gtk_popover_get_type())
      else { return }
      let menu = Widget(Owned(borrowing: popover))
      guard g_object_get_data(menu.cast(), mark) == nil else { return }
      g_object_set_data(menu.cast(), mark, menu.raw)
      body(menu)
    }
  }

  /// The size in pixels, without decorations, that the window has while it is not maximized.
  public var defaultSize: (width: Int, height: Int) {
    get {
      var width: gint = 0
      var height: gint = 0
      gtk_window_get_default_size(cast(), &width, &height)
      return (Int(width), Int(height))
    }
    set { gtk_window_set_default_size(cast(), gint(newValue.width), gint(newValue.height)) }
  }

  /// The current size in pixels, without decorations.
  public var size: (width: Int, height: Int) {
    (Int(gtk_widget_get_width(widget)), Int(gtk_widget_get_height(widget)))
  }

  public var isMaximized: Bool {
    get { gtk_window_is_maximized(cast()) != 0 }
    set { newValue ? gtk_window_maximize(cast()) : gtk_window_unmaximize(cast()) }
  }

  /// Whether the window is visible and has the focus, which `is-active` does not guarantee; see `followFocus`.
  public var isShownAndActive: Bool { isVisible && gtk_window_is_active(cast()) != 0 && !isLeft }

  /// Whether the window is visible and, according to the compositor, has the focus; only for Wayland.
  public var isFocusedByCompositor: Bool {
    guard isVisible, let surface = gtk_native_get_surface(opaque) else { return false }
    return gdk_toplevel_get_state(surface).rawValue & copypasta_GDK_TOPLEVEL_STATE_FOCUSED.rawValue != 0
  }

  /// This program's visible windows.
  public static var shown: [Window] {
    let windows = Object(Owned(borrowing: gtk_window_get_toplevels()))
    return (0..<g_list_model_get_n_items(windows.opaque)).compactMap { position in
      guard let item = g_list_model_get_object(windows.opaque, position) else { return nil }
      let window = Window(Owned(taking: item))
      return window.isVisible ? window : nil
    }
  }

  public var others: [Window] { Window.shown.filter { $0.opaque != opaque } }

  /// Calls `body` when `isShownAndActive` may have changed.
  ///
  /// Call this method before showing the window.
  public func onActivityChange(_ body: @escaping @MainActor () -> Void) {
    activityListeners.value.append(body)
    guard activityListeners.value.count == 1 else { return }
    let changed: @MainActor () -> Void = { [activityListeners] in
      for listener in activityListeners.value { listener() }
    }
    connect("notify::is-active") { [weak self] in
      self?.isLeft = false
      self?.expectsFocus = false
      changed()
    }
    connect("notify::visible") { [weak self] in
      guard let self else { return }
      // Ignore `is-active` until the window gets the focus again.
      if !isVisible { self.isLeft = gtk_window_is_active(cast()) != 0 }
      changed()
    }
    followFocus(changed: changed)
  }

  /// Calls `body` before the window closes; return true to keep it open.
  public func onCloseRequest(_ body: @escaping @MainActor () -> Bool) {
    connectReturning("close-request", body)
  }

  public func setTitlebar(_ bar: HeaderBar) { gtk_window_set_titlebar(cast(), bar.widget) }

  public func setChild(_ child: Widget) { gtk_window_set_child(cast(), child.widget) }

  /// Whether the window was just shown and is drawn as active, although it does not have the focus yet.
  public private(set) var expectsFocus = false

  private func expectFocus() {
    expectedFocus = ExpectedFocus(of: self) { [weak self] in self?.endExpectation() }
    expectsFocus = expectedFocus != nil
  }

  private func endExpectation() {
    expectsFocus = false
    for listener in activityListeners.value { listener() }
  }

  /// Whether the window was maximized when it was taken off the screen; GTK forgets that once the window manager answers.
  private var wasMaximized = false

  /// Takes the window off the screen; a maximized window is maximized when it is shown again.
  public func hide() {
    guard isVisible else { return }
    wasMaximized = isMaximized
    isVisible = false
  }

  /// Shows the window in front, and requests the focus.
  ///
  /// A window that was hidden is drawn as focused from its first frame on; see `ExpectedFocus`.
  public func present(_ activation: Activation = .ambient) {
    let isNew = !isVisible
    if isNew {
      ExpectedFocus.restoreFocusStates(in: self)
      if wasMaximized { isMaximized = true }
      expectsFocus = true
    }
    if case .token(let token) = activation { gtk_window_set_startup_id(cast(), token) }
    copypasta_window_present(cast(), userTime(for: activation))
    if isNew { expectFocus() }
  }

  /// Takes a shown window off the screen; call `mapAgain` afterwards.
  public func unmap() {
    wasMaximized = isMaximized
    gtk_widget_unmap(widget)
    copypasta_flush(gtk_widget_get_display(widget))
  }

  /// Puts an unmapped window on the screen as a new one, with the activation that lets it take the focus.
  public func mapAgain(_ activation: Activation) {
    ExpectedFocus.restoreFocusStates(in: self)
    if case .token(let token) = activation { gtk_window_set_startup_id(cast(), token) }
    _ = userTime(for: activation)
    if wasMaximized { isMaximized = true }
    gtk_widget_map(widget)
    expectFocus()
    copypasta_flush(gtk_widget_get_display(widget))
  }

  /// Computes styles and layout of a hidden window in advance, so that the first `present` is faster.
  public func layOut() {
    gtk_widget_realize(widget)
    // Each frame starts with an update of the styles, which a hidden window's clock does not run.
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

  /// Sets and returns the time that an X11 window manager compares with the last key press in another window.
  ///
  /// If the desktop did not provide the time of the user's action, this is the current time. For a token, on Wayland,
  /// and before the window is first shown, this sets nothing and returns 0.
  private func userTime(for activation: Activation) -> UInt32 {
    guard let surface = x11Surface else { return 0 }
    let time: UInt32
    switch activation {
    case .ambient: time = gdk_x11_get_server_time(surface)
    case .time(let pressed): time = pressed
    // GTK has set the time from the startup id.
    case .token: return 0
    }
    gdk_x11_surface_set_user_time(surface, time)
    return time
  }

  /// The window's X11 id; nil on Wayland, and before the window is first shown.
  public var x11Number: UInt32? { x11Surface.map { UInt32(truncatingIfNeeded: gdk_x11_surface_get_xid($0)) } }

  private var x11Surface: OpaquePointer? {
    guard let surface = gtk_native_get_surface(opaque),
      copypasta_is_a(UnsafeMutableRawPointer(surface), gdk_x11_surface_get_type()) != 0
    else { return nil }
    return surface
  }

  /// Notifies screen readers once more, after a second, that the window is active; later calls have no effect.
  ///
  /// GTK registers a program with screen readers when the main loop is idle. If GTK has reported the first window as
  /// active before that, Orca considers the window closed, and ignores its announcements for a minute. The function
  /// that this calls exists since GTK 4.18.
  public func emitActivityAgain() {
    guard activityUpdate == nil, isShownAndActive, let update = RuntimeSymbols.accessibleUpdatePlatformState
    else { return }
    activityUpdate = Timeout(after: .seconds(1)) { [weak self] in
      if let self, isShownAndActive { update(opaque, RuntimeSymbols.activeState) }
    }
  }

  /// Sets the icon that panels and task switchers show.
  public func setIcon(_ name: String) { gtk_window_set_icon_name(cast(), name) }

  /// Destroys the window, which GTK retains until then.
  public func destroy() { gtk_window_destroy(cast()) }
}

@MainActor
public final class HeaderBar: Widget {
  /// Makes a header bar that shows `title`, or hides it if there is not enough room.
  ///
  /// Without a title, the bar shows the window's title. An empty title leaves its room to `start` and `end`.
  public convenience init(title: String? = nil, start: [Widget] = [], end: [Widget] = []) {
    self.init(new: gtk_header_bar_new())
    if let title {
      let label = Label(title)
      // Leave out the style for an empty title, because the style has padding.
      if !title.isEmpty { label.addStyle("title") }
      let box = Squeezer(label)
      withExtendedLifetime(box) { gtk_header_bar_set_title_widget(opaque, box.widget) }
    }
    for widget in start { gtk_header_bar_pack_start(opaque, widget.widget) }
    for widget in end { gtk_header_bar_pack_end(opaque, widget.widget) }
  }
}

@MainActor
private final class InputEvent {
  let event: OpaquePointer

  init(_ event: OpaquePointer) { self.event = gdk_event_ref(event) }

  isolated deinit { gdk_event_unref(event) }
}

/// Evidence that the user requested a window; without it, a window manager may not give the window the focus.
public enum Activation: Equatable, Sendable {
  /// The activation that GTK itself knows: the token with which the program was launched.
  case ambient
  /// An activation token on Wayland, or a startup id on X11.
  case token(String)
  /// The X server's time, in milliseconds, at which the user pressed the key or button.
  case time(UInt32)

  /// The variables that contain the token of a launch, the preferred one first.
  static let variables = ["XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID"]

  /// The activation with which this program was launched.
  ///
  /// Reads the environment that the kernel passed to the process, because GTK removes the tokens before `main` runs.
  public static func ofThisLaunch() -> Activation {
    // A token is valid once, so programs started by this program must not inherit it.
    g_unsetenv("XDG_ACTIVATION_TOKEN")
    let environment = ProgramFiles.initialEnvironment(of: "self")
    let tokens = variables.compactMap { environment[$0] }
    return tokens.first { !$0.isEmpty }.map(Activation.token) ?? .ambient
  }

  /// Tells the desktop that the launch has ended without a window.
  public func endWithoutWindow() {
    guard case .token(let token) = self, let display = gdk_display_get_default() else { return }
    copypasta_display_end_startup(display, token)
  }
}
