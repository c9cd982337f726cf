import CGtk
import Glibc
import GtkTestSupport
import TestSupport
import Testing

@testable import ClipHistory
@testable import CopyPastaApp
@testable import GtkKit

/// The minimum size of every window, at text size 2, on the smallest supported screen.
@MainActor
@Suite(.serialized, .tags(.isAccessible)) struct SmallScreenTests {
  init() async throws { try await openDisplay() }

  @Test func `an impossible saved window size is corrected`() throws {
    let folder = try TemporaryFolder()
    let file = KeyFile(path: folder.path + "/state.ini", group: "window")
    let window = Window(title: "")
    defer { window.destroy() }
    for (kept, shown) in [((1, 1), (300, 200)), ((99_999, 99_999), (8192, 8192)), ((400, 500), (400, 500))] {
      try file.write([("width", kept.0), ("height", kept.1)])
      window.restoreSize(from: file)
      #expect(window.defaultSize == shown)
    }
  }

  @Test(arguments: [
    ("en", "en_US"), ("de", "de_DE"), ("fr", "fr_FR"), ("es", "es_ES"), ("ar", "ar_EG"), ("ja", "ja_JP"),
  ])
  func `every window fits on a 360×300 screen at text size 2`(language: String, territory: String)
    async throws
  {
    let catalogues = try await Self.catalogues(of: language)
    let empty = try Scratch()
    let filled = try await Scratch(String(repeating: "W", count: 1000))
    let way = FakeShortcut()
    let services = AppServices.keepingNothing(at: empty.location, way)
    services.shortcut.start()
    try await pump("no shortcut") { services.shortcut.state == .notHeld(.unsupported) }
    try await TestLocale.with(territory) { locale in
      // Do not run the main loop here, because other tests run in English at the same time.
      Self.speak(language, locale, catalogues.path)
      defer { Self.speakEnglish() }
      let before = toplevels()
      let sessions = [HistoryLocation(folder: "/proc/none"), empty.location, filled.location].map {
        HistorySession(.keepingNothing(at: $0, way))
      }
      let histories = sessions.map { HistoryWindow($0.services, $0, showText: { _ in }, closed: {}) }
      let dialogs: [any Dialogs.Dialog] = [
        PreferencesWindow(services, sessions[1]),
        ShortcutsWindow(services.shortcut), AboutDialog(),
        TextWindow(try Self.text.get(), capturedAt: Format.now, copy: { $1() }, copyPart: { $1() }),
      ]
      let page = StatusPage.empty()
      page.advice = services.shortcut.state.advice
      Window(title: "empty").setChild(page.root)
      // Messages scroll if there is not enough room for them.
      for session in sessions { session.retention.question = Self.expired }
      for history in histories { history.showNotice(Self.expired.question) }
      let windows = toplevels().filter { !before.contains($0) }.map { Window(Owned(borrowing: $0)) }
      #expect(windows.count == 8)
      for (number, window) in windows.enumerated() {
        let name = String(cString: gtk_window_get_title(window.cast()))
        let (width, height) = Self.leastSize(of: window)
        #expect(width <= 360, "\(number), \(name)")
        #expect(height <= 300, "\(number), \(name)")
      }
      for window in histories { window.destroy() }
      for window in windows { window.destroy() }
      withExtendedLifetime(dialogs) {}
    }
  }

  private static var expired: ExpiredClips {
    ExpiredClips(
      period: .threeMonths, reading: .now(wallTime: Format.now), count: 1_000_000, isClockBelieved: false,
      lastID: 1, firstYoungID: .max, revision: 0)
  }

  /// A text with all notes and with words of the maximum length; blank lines are laid out fast.
  private static let text = Result {
    ShownText(
      try ClipText(
        validating: Array("\u{200E}".utf8) + Array(repeating: UInt8(ascii: "W"), count: ShownText.lineLimit)
          + Array(repeating: UInt8(ascii: "\n"), count: ShownText.sizeLimit)))
  }

  private static func leastSize(of window: Window) -> (width: gint, height: gint) {
    var (width, height): (gint, gint) = (0, 0)
    gtk_widget_measure(window.widget, GTK_ORIENTATION_HORIZONTAL, -1, &width, nil, nil, nil)
    gtk_widget_measure(window.widget, GTK_ORIENTATION_VERTICAL, max(width, 360), &height, nil, nil, nil)
    return (width, height)
  }

  // MARK: Languages

  /// A folder with the translations of a language; empty for English.
  private static func catalogues(of language: String) async throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    guard language != "en" else { return folder }
    try folder.makeFolder("\(language)/LC_MESSAGES")
    let made = try await Program.run(
      [
        "msgfmt", "--output-file=\(folder.path)/\(language)/LC_MESSAGES/copypasta.mo",
        "\(Fixture.checkout)/po/\(language).po",
      ], environment: ["PATH": "/usr/bin:/bin"])
    try #require(made.exit == .code(0), "\(made.errors)")
    return folder
  }

  private static func speak(_ language: String, _ locale: TestLocale, _ catalogues: String) {
    setenv("LOCPATH", locale.folder, 1)
    setenv("LANGUAGE", language, 1)
    #expect(setlocale(LC_ALL, locale.name) != nil)
    bindtextdomain("copypasta", catalogues)
    bind_textdomain_codeset("copypasta", "UTF-8")
    #expect(tr("Quit") != "Quit" || language == "en")
    gtk_widget_set_default_direction(language == "ar" ? GTK_TEXT_DIR_RTL : GTK_TEXT_DIR_LTR)
    setTextSize(2)
  }

  private static func speakEnglish() {
    setTextSize(1)
    gtk_widget_set_default_direction(GTK_TEXT_DIR_LTR)
    unsetenv("LANGUAGE")
    unsetenv("LOCPATH")
    bindtextdomain("copypasta", "/proc/none")
    setlocale(LC_ALL, "C.UTF-8")
  }

  private static func setTextSize(_ factor: Int) {
    var value = GValue()
    g_value_init(&value, GType(6 << 2))
    g_value_set_int(&value, gint(factor * 96 * 1024))
    g_object_set_property(Object(Owned(borrowing: gtk_settings_get_default())).cast(), "gtk-xft-dpi", &value)
  }
}
