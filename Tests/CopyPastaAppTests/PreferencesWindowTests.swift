import CGtk
import ClipHistory
import GtkTestSupport
import TestSupport
import Testing

@testable import CopyPastaApp
@testable import GtkKit

@MainActor
@Suite(.serialized) struct PreferencesWindowTests {
  init() async throws { try await openDisplay() }

  @Test func `a switch follows its setting, which a click on the row toggles`() async throws {
    let preferences = Preferences(schema: nil)
    let row = PreferenceRow(toggling: .showsTrayIcon, of: preferences, "Title", "Explanation")
    let control = try #require(row.control as? Switch)
    let window = Window(title: "test")
    window.setChild(PreferenceList([row]).root)
    window.present()
    #expect(control.isOn)
    row.clicked?()
    try await pump("switched off") { !control.isOn && !preferences[flag: .showsTrayIcon] }
    preferences[flag: .showsTrayIcon] = true
    #expect(control.isOn)
    window.destroy()
  }

  @Test func `a switch whose change is refused, or that is disabled, stays as it is`() async throws {
    let window = Window(title: "test")
    let group = ActionGroup()
    var requests: [Bool] = []
    let action = ToggleAction("refusing") { requests.append($0) }
    group.add(action)
    let row = PreferenceRow(toggling: "refusing", of: group, "Title", "Explanation")
    window.setChild(PreferenceList([row]).root)
    window.present()
    let control = try #require(row.control as? Switch)
    for count in 1...2 {
      row.clicked?()
      try await pump("the refusal") { requests.count == count && !control.isOn }
    }
    action.isEnabled = false
    row.clicked?()
    #expect(requests == [true, true] && !control.isEnabled)
    action.show(true)
    #expect(control.isOn)
    row.showError("Refused")
    #expect(labelTexts(in: row.root.widget).contains("Refused"))
    row.showError(nil)
    #expect(labelTexts(in: row.root.widget) == ["Title", "Explanation"])
    window.destroy()
  }

  @Test func `Preferences offers the tray icon only with a tray host, and needs no scrolling`() async throws {
    let scene = try await BusScene.start()
    let services = AppServices.keepingNothing(FakeShortcut())
    let preferences = PreferencesWindow(services, HistorySession(services)) {
      [bus = scene.client] () throws(BusError) in bus
    }
    let root = preferences.window.widget
    preferences.window.present()
    func isOffered() -> Bool {
      let row = Self.label("_Tray Icon", in: root).flatMap {
        gtk_widget_get_ancestor($0, gtk_list_box_row_get_type())
      }
      return row.map(gtk_widget_get_visible) == 1
    }
    #expect(!isOffered())
    do {
      let watcher = try ScriptedWatcher(on: scene.service, hasHost: false)
      try await scene.settle()
      try await scene.settle()
      #expect(!isOffered())
      watcher.hasHost = true
      try await pump("the tray") { isOffered() }
      let page = try #require(widgets(gtk_scrolled_window_get_type(), in: root).first)
      // Only a frame lays out the new row.
      var isDrawn = false
      preferences.window.onNextFrame { isDrawn = true }
      try await pump("a frame") { isDrawn }
      let adjustment = gtk_scrolled_window_get_vadjustment(OpaquePointer(page))
      #expect(gtk_adjustment_get_upper(adjustment) <= gtk_adjustment_get_page_size(adjustment))
      #expect(gtk_adjustment_get_page_size(adjustment) > 300)
      withExtendedLifetime(watcher) {}
    }
    try await pump("no tray") { !isOffered() }
    preferences.window.destroy()
  }

  @Test func `Keyboard Shortcuts shows the keys that hold now`() async throws {
    let shown = try ShownDialogs()
    _ = try await shown.preferences()
    shown.show(.shortcuts)
    let window = try #require(shown.dialogs.open[.shortcuts]?.window.widget)
    #expect(Self.label("Ctrl+Super+V", in: window) != nil)
    shown.way.outcome = .held(by: .keyGrab, name: "Alt+F1")
    shown.services.preferences.shortcut = "<Alt>F1"
    try await pump("the new keys") { Self.label("Alt+F1", in: window) != nil }
    #expect(Self.label("Ctrl+Super+V", in: window) == nil)
    shown.dialogs.close()
  }

  // MARK: Large text

  @Test func `headings stay larger than text at a large font size`() throws {
    let settings = Object(Owned(borrowing: gtk_settings_get_default()))
    let font = settings[property: "gtk-font-name"]
    settings[property: "gtk-font-name"] = .text("Sans 40")
    defer { settings[property: "gtk-font-name"] = font }
    let window = Window(title: "test")
    window.addStyle("preferences")
    let (title, text) = (Label("Heading"), Label("Words"))
    title.addStyle("heading")
    window.setChild(Box(.vertical, [title, text]))
    #expect(Self.height(title.widget) > Self.height(text.widget))
    window.destroy()
  }

  private static func label(
    _ text: String, in widget: UnsafeMutablePointer<GtkWidget>
  ) -> UnsafeMutablePointer<GtkWidget>? {
    widgets(in: widget).first { Object(Owned(borrowing: $0))[property: "label"] == .text(text) }
  }

  private static func height(_ widget: UnsafeMutablePointer<GtkWidget>, width: gint = -1) -> gint {
    var height: gint = 0
    gtk_widget_measure(widget, GTK_ORIENTATION_VERTICAL, width, &height, nil, nil, nil)
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

  @Test func `a row that waits for keys keeps its height and refuses bad keys`() async throws {
    let shown = try ShownDialogs()
    let window = try await shown.preferences()
    let row = window.shortcut.rows[0].root.widget
    func height() -> gint { Self.height(row, width: gtk_widget_get_width(row)) }
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
    try await pump("the shortcut requested again") { shown.way.asked.count == 2 }
    // A locked setting disables the button, and a click next to it has no effect.
    gtk_widget_set_sensitive(widgets(gtk_button_get_type(), in: row).first, 0)
    window.shortcut.record()
    #expect(!shown.services.shortcut.isPaused)
    shown.dialogs.close()
  }

  @Test func `closing Preferences during the count discards a shorter retention period`() async throws {
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
    for _ in 1...3 {
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
    #expect(shown.closings == 3)
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
  private(set) lazy var dialogs = Dialogs(on: services.windowSystem, added: { _ in }) { [weak self] in
    self?.closings += 1
  }

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
    try await pump("the window on the screen") { window.window.isMapped }
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
