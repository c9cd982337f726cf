import CGtk
import ClipHistory
import GtkTestSupport
import TestSupport
import Testing

@testable import CopyPastaApp
@testable import GtkKit

@MainActor
@Suite(.serialized) struct PreferencesWindowTests {
  init() async throws { try await TestDisplay.open() }

  @Test func `a preference row's switch follows its setting, and is off and disabled if unavailable`()
    throws
  {
    let preferences = Preferences(schema: nil)
    let row = PreferenceRow(.showsTrayIcon, of: preferences, "Title", "Explanation")
    let control = try #require(row.control as? Switch)
    #expect(control.isOn)
    row.clicked?()
    #expect(!control.isOn && !preferences[flag: .showsTrayIcon])
    control.isOn = true
    #expect(preferences[flag: .showsTrayIcon])
    row.isAvailable = false
    #expect(!control.isOn && !control.isEnabled)
    row.clicked?()
    #expect(!control.isOn && preferences[flag: .showsTrayIcon])
    // Tab reaches the row, and then the next.
    let next = PreferenceRow(.hidesPopup, of: preferences, "Next", "Explanation")
    let group = PreferenceGroup("Group", [row, next])
    row.isAvailable = false
    let window = Window(title: "test")
    window.setChild(group.root)
    window.present()
    MainLoop.run(until: { next.control.width > 0 }, atMost: .seconds(60))
    for _ in 1...2 { gtk_widget_child_focus(group.root.widget, GTK_DIR_TAB_FORWARD) }
    #expect(next.control.hasFocusWithin)
    window.destroy()
    row.isAvailable = true
    #expect(control.isOn && control.isEnabled)
  }

  @Test func `a switch flips back if its setting refuses the change`() async throws {
    let folder = try TemporaryFolder()
    try await compileSettingsSchemas(Fixture.checkout + "/data", into: folder.path)
    let preferences = Preferences(schema: SettingsSchema(CopyPasta.id, compiledIn: folder.path))
    // The schema refuses to store true as a number.
    let row = PreferenceRow(.sizeLimit, of: preferences, "Title", "Explanation")
    row.clicked?()
    try await pump("the stored value") { (row.control as? Switch)?.isOn == false }
  }

  @Test func `without haptics, Preferences hides the vibration setting; without a tray, it says so`()
    async throws
  {
    let scene = try await BusScene.start()
    let services = AppServices.keepingNothing(FakeShortcut())
    let preferences = PreferencesWindow(services, HistorySession(services)) {
      [bus = scene.client] () throws(BusError) in bus
    }
    let root = preferences.window.widget
    func row(_ text: String) -> UnsafeMutablePointer<GtkWidget>? {
      Self.label(text, in: root).flatMap { gtk_widget_get_ancestor($0, gtk_list_box_row_get_type()) }
    }
    func isVibrationOffered() -> Bool { row("_Vibrate After Copying").map(gtk_widget_get_visible) == 1 }
    func isTrayMissing() -> Bool {
      guard let control = row("_Tray Icon").flatMap({ widgets(gtk_switch_get_type(), in: $0).first }) else {
        return false
      }
      return gtk_widget_get_sensitive(control) == 0 && gtk_switch_get_active(OpaquePointer(control)) == 0
        && Self.label("Not available: this desktop has no tray.", in: root) != nil
    }
    try await pump("no tray") { isTrayMissing() }
    #expect(!isVibrationOffered())
    do {
      let names = [Haptics.service, TrayIcon.watcher].map { scene.service.ownName($0.name) }
      try await pump("both there") { isVibrationOffered() && !isTrayMissing() }
      withExtendedLifetime(names) {}
    }
    try await pump("both gone") { !isVibrationOffered() && isTrayMissing() }
    preferences.window.destroy()
  }

  // MARK: Large text

  @Test func `headings stay larger than text at a large font size`() throws {
    let settings = Object(Owned(borrowing: gtk_settings_get_default()))
    let font = settings[property: "gtk-font-name"]
    settings[property: "gtk-font-name"] = .text("Sans 40")
    defer { settings[property: "gtk-font-name"] = font }
    let style = ProgramStyle()
    let window = Window(title: "test")
    window.addStyle("preferences")
    let text = Label("Words")
    window.setChild(Box(.vertical, [PreferenceGroup("Heading", []).root, text]))
    let heading = try #require(Self.label("Heading", in: window.widget))
    #expect(Self.height(heading) > Self.height(text.widget))
    window.destroy()
    withExtendedLifetime(style) {}
  }

  private static func label(
    _ text: String, in widget: UnsafeMutablePointer<GtkWidget>
  ) -> UnsafeMutablePointer<GtkWidget>? {
    widgets(in: widget).first { Object(Owned(borrowing: $0))[property: "label"] == .text(text) }
  }

  private static func height(_ widget: UnsafeMutablePointer<GtkWidget>) -> Int32 {
    var height: gint = 0
    gtk_widget_measure(widget, GTK_ORIENTATION_VERTICAL, -1, &height, nil, nil, nil)
    return height
  }

  // MARK: Closing windows

  /// How a dialog is closed.
  enum CloseAction: CaseIterable { case destroyed, closed, hidden }

  @Test(arguments: CloseAction.allCases)
  func `the shortcut works again if Preferences is closed, hidden or destroyed while waiting for keys`(
    _ action: CloseAction
  ) async throws {
    let shown = try ShownDialogs()
    let session = shown.services.shortcut
    let window = try await shown.preferences()
    window.shortcut.record()
    #expect(session.isPaused)
    try await pump("the shortcut released") {
      // Another test's window may take the focus, which ends the wait for keys.
      if !session.isPaused {
        window.window.present()
        window.shortcut.record()
      }
      return !shown.way.isHeld
    }
    switch action {
    case .destroyed: window.window.destroy()
    case .closed: shown.dialogs.close()
    case .hidden: window.window.isVisible = false
    }
    #expect(!session.isPaused)
    try await pump("the shortcut held again") { shown.way.isHeld && session.state == ShownDialogs.held }
    shown.dialogs.close()
    window.window.destroy()
  }

  @Test
  func `a row that waits for keys keeps its height, refuses bad keys, and does not wait while disabled`()
    async throws
  {
    let shown = try ShownDialogs()
    let window = try await shown.preferences()
    let row = window.shortcut.root.widget
    func height() -> gint {
      var height: gint = 0
      gtk_widget_measure(
        row, GTK_ORIENTATION_VERTICAL, gtk_widget_get_width(row), nil, &height, nil, nil)
      return height
    }
    func failures() -> [UnsafeMutablePointer<GtkWidget>] {
      widgets(gtk_label_get_type(), in: row).filter { gtk_widget_has_css_class($0, "failure") != 0 }
    }
    let before = height()
    window.shortcut.record()
    #expect(height() >= before && failures().isEmpty)
    #expect(window.shortcut.pressed(try #require(Accelerator("<Shift>a"))))
    let words = try #require(failures().first.map { labelTexts(in: $0).joined() })
    #expect(words.hasSuffix("Escape cancels, Backspace turns the shortcut off."))
    #expect(window.shortcut.pressed(try #require(Accelerator(shown.services.preferences.shortcut))))
    #expect(shown.way.forgottenRefusals == 1)
    // A locked setting disables the button, and a click next to it has no effect.
    gtk_widget_set_sensitive(widgets(gtk_button_get_type(), in: row).first, 0)
    window.shortcut.record()
    #expect(!shown.services.shortcut.isPaused)
    shown.dialogs.close()
  }

  @Test
  func `a shorter retention period is discarded if Preferences is closed while expired items are counted`()
    async throws
  {
    let scratch = try await Scratch("old")
    let services = AppServices.keepingNothing(
      at: scratch.location, FakeShortcut(), now: { Format.now + 40 * 86_400_000_000 })
    weak var counting: RetentionMenu?
    do {
      let window = Window(title: "Preferences")
      let menu = RetentionMenu(HistorySession(services), window.show(page: Box(.vertical)))
      counting = menu
      for (period, words) in [
        (RetentionPeriod.month, "Older items are deleted permanently."),
        (.forever, "Items stay until you delete them."),
      ] {
        services.preferences.retentionPeriod = period
        #expect(labelTexts(in: menu.row.root.widget).contains(words))
      }
      menu.root.chosen = try #require(RetentionPeriod.allCases.firstIndex(of: .day))
      window.destroy()
    }
    // The count runs in a task, which cannot have started yet, and which retains the menu.
    #expect(counting != nil)
    try await pump("the end of the count") { counting == nil }
    #expect(services.preferences.retentionPeriod == .forever)
  }

  @Test(arguments: Dialogs.Kind.allCases)
  func `each time a dialog is closed, the dialog and all its widgets are released`(_ kind: Dialogs.Kind)
    async throws
  {
    let shown = try ShownDialogs()
    var lifetimes: [Lifetime] = []
    weak var leaked: (any Dialogs.Dialog)?
    for _ in 1...20 {
      shown.show(kind)
      do {
        let dialog = try #require(shown.dialogs.open[kind])
        leaked = dialog
        try await pump("the window on the screen") { dialog.window.isMapped }
        (dialog as? PreferencesWindow)?.shortcut.record()
        // Choosing it again presents the same window.
        shown.show(kind)
        #expect(shown.dialogs.open[kind] === dialog)
        lifetimes = Lifetime.ofAll(within: dialog.window.raw)
      }
      shown.dialogs.close()
      #expect(!shown.dialogs.areOpen)
      try await pump("the Swift object released") { leaked == nil }
      try await pump("all widgets released") { lifetimes.allSatisfy(\.isOver) }
    }
    #expect(shown.closings == 20)
    // No released window may react to the setting.
    shown.services.preferences[flag: .showsTrayIcon] = false
  }

  @Test func `the full-text window's Copy button briefly shows “Copied”, which is announced`() async throws {
    let shown = try ShownDialogs()
    let text = shown.textWindow()
    shown.dialogs.show(text, above: nil)
    let button = try #require(
      widgets(gtk_button_get_type(), in: text.window.widget).first { Self.label("_Copy", in: $0) != nil })
    let focus = try #require(gtk_window_get_focus(text.window.cast()))
    func isAnnounced() -> Bool {
      g_object_get_data(Object(Owned(borrowing: focus)).cast(), Widget.announcementKey) != nil
    }
    #expect(!isAnnounced())
    copypasta_emit(button, "clicked")
    // Newer versions of GTK announce without a trace in this process.
    if RuntimeSymbols.accessibleAnnounce == nil { #expect(isAnnounced()) }
    #expect(Self.label("Copied", in: button) != nil)
    try await pump("the button's label restored") { Self.label("_Copy", in: button) != nil }
    shown.dialogs.close()
  }

  @Test func `a second full-text window replaces the first`() async throws {
    let shown = try ShownDialogs()
    let (first, second) = (shown.textWindow(), shown.textWindow())
    shown.dialogs.show(first, above: nil)
    try await pump("the first one on the screen") { first.window.isMapped }
    shown.dialogs.show(second, above: nil)
    try await pump("the second one on the screen") { second.window.isMapped }
    #expect(!first.window.isVisible)
    #expect(shown.dialogs.open[.text] === second)
    shown.dialogs.close()
  }
}

/// The dialogs of a minimal program.
@MainActor
private final class ShownDialogs {
  static let held = ShortcutState.held(by: .keyGrab, name: "Ctrl+Super+V")

  let way = FakeShortcut()
  let services: AppServices
  private let text: ClipText
  private(set) var closings = 0
  private(set) lazy var dialogs = Dialogs(
    of: Application(id: "org.copypasta.Test"), on: services.windowSystem
  ) { [weak self] in self?.closings += 1 }

  func show(_ kind: Dialogs.Kind) {
    dialogs.show(kind, above: nil) {
      switch kind {
      case .preferences: PreferencesWindow(services, HistorySession(services))
      case .shortcuts: ShortcutsWindow(services.shortcut)
      case .about: AboutDialog()
      case .text: textWindow()
      }
    }
  }

  /// Shows Preferences while the shortcut is held.
  func preferences() async throws -> PreferencesWindow {
    services.shortcut.start()
    try await pump("the shortcut held") { services.shortcut.state == Self.held }
    show(.preferences)
    let window = try #require(dialogs.open[.preferences] as? PreferencesWindow)
    try await pump("the window on the screen") { window.shortcut.root.isMapped }
    return window
  }

  func textWindow() -> TextWindow {
    TextWindow(
      ShownText(text), capturedAt: 0, copy: { $1() }, copyPart: { $1() })
  }

  init() throws {
    text = try ClipText(validating: Array("text".utf8))
    way.outcome = Self.held
    services = .keepingNothing(way)
  }
}
