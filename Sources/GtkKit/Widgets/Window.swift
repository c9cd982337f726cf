import CGtk

/// A window of the application.
@MainActor
public final class Window: Widget {
  /// Makes a window that is not shown yet.
  public convenience init(title: String) {
    self.init(new: gtk_window_new())
    gtk_window_set_title(cast(), title)
    keepPresses()
  }

  /// Keeps the window above another one.
  public func stay(above parent: Window) { gtk_window_set_transient_for(cast(), parent.cast()) }

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

  /// The size without decorations, in pixels; what a maximised window goes back to.
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
  /// GTK 4.8 leaves `is-active` set on a window that was hidden, so both are asked.
  public var isShownAndActive: Bool { isVisible && gtk_window_is_active(cast()) != 0 }

  /// How many of this program's windows are on the screen.
  public static var shownCount: Int {
    let windows = Object(Owned(borrowing: gtk_window_get_toplevels()))
    return (0..<g_list_model_get_n_items(windows.opaque)).count { position in
      guard let item = g_list_model_get_object(windows.opaque, position) else { return false }
      return Window(Owned(taking: item)).isVisible
    }
  }

  /// Calls `body` when `isShownAndActive` may have changed.
  public func onActivityChange(_ body: @escaping @MainActor () -> Void) {
    connectNotify("is-active", body)
    connectNotify("visible", body)
  }

  /// Calls `body` before the window closes; if it returns true, the window stays.
  public func onCloseRequest(_ body: @escaping @MainActor () -> Bool) {
    connectHandled("close-request", body)
  }

  /// Puts a header bar in the place of the title.
  public func setTitlebar(_ bar: HeaderBar) { gtk_window_set_titlebar(cast(), bar.widget) }

  /// Fills the window.
  public func setChild(_ child: Widget) { gtk_window_set_child(cast(), child.widget) }

  /// Shows the window in front, and asks for the focus.
  public func present(_ activation: Activation = .ambient) {
    if case .token(let token) = activation { gtk_window_set_startup_id(cast(), token) }
    gtk_window_present_with_time(cast(), userTime(for: activation))
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
  /// If the desktop did not say when the user asked, it is now. Zero, for "unknown", on Wayland, and for a window that
  /// is shown for the first time.
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

  /// Calls `body` once, when the next frame of the window has been drawn; the window must have been shown.
  public func onNextFrame(_ body: @escaping @MainActor () -> Void) {
    guard let pointer = gtk_widget_get_frame_clock(widget) else { return body() }
    Object(Owned(borrowing: pointer)).connectOnce("after-paint", body)
    // Also if there is nothing to draw.
    gdk_frame_clock_request_phase(pointer, GDK_FRAME_CLOCK_PHASE_AFTER_PAINT)
  }

  /// If the user works in the window, tells screen readers so once more in a second; the first time that it is called
  /// then, and never again.
  ///
  /// GTK makes a program known to them when it has nothing else to do. If it has told before that its first window is
  /// active, Orca takes the window for one that is gone, and for a minute passes over what it announces. There is no
  /// function for it before GTK 4.18.
  public func tellActivityAgain() {
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

  // MARK: - Dialogs

  /// What is said about a program.
  public struct About {
    /// What the window is called.
    public var title: String
    /// The program's name.
    public var name: String
    /// Its version.
    public var version: String
    /// What it does, in one sentence.
    public var summary: String
    /// Who has the copyright.
    public var copyright: String
    /// The text of its licence.
    public var license: String
    /// Who translated it, one in a line; without addresses, which become links.
    public var translators: String?
    /// The name of its icon, shown if the icon is installed.
    public var icon: String

    /// Makes a description of its parts.
    public init(
      title: String, name: String, version: String, summary: String, copyright: String, license: String,
      translators: String?, icon: String
    ) {
      self.title = title
      self.name = name
      self.version = version
      self.summary = summary
      self.copyright = copyright
      self.license = license
      self.translators = translators
      self.icon = icon
    }
  }

  /// Makes a window that says what a program is.
  ///
  /// Without a link: GTK's own line on a licence has one, and from 4.22 on a label with a link ends the program if a
  /// screen reader has come by and the label is gone at its next visit. (GTK makes the link known while it makes the
  /// label known, which makes the label known once more; only one of the two is forgotten with the label.)
  public convenience init(about: About) {
    self.init(new: gtk_about_dialog_new())
    gtk_window_set_title(cast(), about.title)
    gtk_about_dialog_set_program_name(opaque, about.name)
    gtk_about_dialog_set_version(opaque, about.version)
    gtk_about_dialog_set_comments(opaque, about.summary)
    gtk_about_dialog_set_copyright(opaque, about.copyright)
    gtk_about_dialog_set_translator_credits(opaque, about.translators)
    gtk_about_dialog_set_license(opaque, about.license)
    gtk_about_dialog_set_wrap_license(opaque, 1)
    if Theme.hasIcon(about.icon) { gtk_about_dialog_set_logo_icon_name(opaque, about.icon) }
    keepPresses()
  }

  /// Changes what a window about a program says below its name; for no other window.
  public func setComments(_ text: String) {
    gtk_about_dialog_set_comments(opaque, text)
  }

  /// A group of keys with what they do.
  public struct ShortcutGroup {
    /// What the keys have in common.
    public var title: String
    /// What is done, and the keys that do it, as GTK writes accelerators: `["Return", "<Control>c"]`.
    public var shortcuts: [(title: String, keys: [String])]

    /// Makes a group.
    public init(title: String, shortcuts: [(title: String, keys: [String])]) {
      self.title = title
      self.shortcuts = shortcuts
    }
  }

  /// Makes a window that shows the keys of a program.
  ///
  /// GTK 4.8 has no functions that fill it: it is made from a description in XML.
  public convenience init(title: String, shortcuts groups: [ShortcutGroup]) {
    let builder = gtk_builder_new_from_string(Self.description(of: groups), -1)
    // The builder lets go of the window; GTK keeps it until it is destroyed.
    self.init(
      Owned(borrowing: gtk_builder_get_object(builder, "window")))
    g_object_unref(UnsafeMutableRawPointer(builder))
    gtk_window_set_title(cast(), title)
    // GTK 4.24 tells a screen reader neither that it is a window nor its title.
    setAccessibleRole(.window)
    setAccessibleName(title)
    keepPresses()
  }

  private static func description(of groups: [ShortcutGroup]) -> String {
    let content = groups.map { group in
      let rows = group.shortcuts.map { shortcut in
        """
        <child><object class="GtkShortcutsShortcut">
        <property name="title">\(escaped(shortcut.title))</property>
        <property name="accelerator">\(escaped(shortcut.keys.joined(separator: " ")))</property>
        </object></child>
        """
      }
      return """
        <child><object class="GtkShortcutsGroup"><property name="title">\(escaped(group.title))</property>
        \(rows.joined())</object></child>
        """
    }
    return """
      <interface><object class="GtkShortcutsWindow" id="window"><child>
      <object class="GtkShortcutsSection"><property name="section-name">all</property>
      \(content.joined())</object></child></object></interface>
      """
  }

  private static func escaped(_ text: String) -> String {
    String(taking: g_markup_escape_text(text, -1))
  }
}

/// The bar at a window's top.
@MainActor
public final class HeaderBar: Widget {
  /// Makes a header bar that shows the window's title, or another one, which is never cut.
  public convenience init(title: String? = nil, start: [Widget] = [], end: [Widget] = []) {
    self.init(new: gtk_header_bar_new())
    if let title {
      let label = Label(title)
      label.addStyle("title")
      gtk_header_bar_set_title_widget(opaque, label.widget)
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
