import CGtk
import GtkTestSupport
import Testing

@testable import CopyPastaApp
@testable import GtkKit

@MainActor
@Suite(.serialized) struct NoticeBarTests {
  private let bar: NoticeBar
  private let style: ProgramStyle

  init() async throws {
    try await TestDisplay.open()
    style = ProgramStyle()
    // One millisecond is safe: a timeout fires only in the main loop, which a test runs after its first expectations.
    bar = NoticeBar(time: { $0 == .long ? $0.time : .milliseconds(1) }, giveBackFocus: {})
    bar.canAnnounce = true
  }

  private func text(of bar: NoticeBar) -> String? { labelTexts(in: bar.root.widget).first }

  /// Waits for a timer that is due after a notice's time, if that has begun.
  private func waitForLaterTimer() async throws {
    var isLater = false
    let later = Timeout(after: .milliseconds(2)) { isLater = true }
    try await pump("a later timer") { isLater }
    withExtendedLifetime(later) {}
  }

  @Test func `a notice's action removes only that notice, and gives the focus back if the button had it`()
    throws
  {
    var (runs, returns) = (0, 0)
    let bar = NoticeBar(giveBackFocus: { returns += 1 })
    let window = Window(title: "Notices")
    window.setChild(bar.root)
    window.present(.ambient)
    for hasFocus in [false, true] {
      if hasFocus { bar.show("Recovered.", lifetime: .long) }
      bar.show("Question?", lifetime: .long, action: ("Do It", { runs += 1 }))
      let button = try #require(widgets(gtk_button_get_type(), in: bar.root.widget).first)
      if hasFocus { gtk_widget_grab_focus(button) }
      #expect(bar.root.hasFocusWithin == hasFocus)
      copypasta_emit(button, "clicked")
      #expect((runs, returns) == (hasFocus ? (2, 1) : (1, 0)))
      #expect(bar.root.isRevealed == hasFocus)
      if hasFocus { #expect(gtk_widget_get_visible(button) == 0) }
    }
    #expect(text(of: bar) == "Recovered.")
    window.destroy()
  }

  @Test func `a notice's time starts to run when the window becomes active`() async throws {
    bar.canAnnounce = false
    bar.show("Brief.")
    try await waitForLaterTimer()
    #expect(bar.root.isRevealed)
    bar.canAnnounce = true
    try await pump("the end of the notice") { !bar.root.isRevealed }
  }

  @Test func `a notice of damage stays until it is closed`() async throws {
    let bar = NoticeBar(time: { $0.time.map { _ in .milliseconds(1) } }, giveBackFocus: {})
    bar.canAnnounce = true
    bar.show("Recovered.", lifetime: .untilClosed)
    bar.show("Brief.")
    try await pump("the end of the other notice") { text(of: bar) == "Recovered." }
    let close = try #require(
      widgets(gtk_button_get_type(), in: bar.root.widget).last { gtk_widget_get_visible($0) != 0 })
    copypasta_emit(close, "clicked")
    #expect(!bar.root.isRevealed)
  }

  @Test func `a long-lived notice that is shown again appears once, and its time begins again`() async throws
  {
    var times = [Duration.seconds(60), .milliseconds(1)]
    let bar = NoticeBar(time: { _ in times.removeLast() }, giveBackFocus: {})
    bar.canAnnounce = true
    for _ in 1...2 { bar.show("Read-only.", lifetime: .long) }
    #expect(text(of: bar) == "Read-only.")
    try await waitForLaterTimer()
    #expect(bar.root.isRevealed)
  }

  /// A recorded copy withdraws the notice that an earlier one was not recorded.
  @Test func `long-lived notices are shown together, and each notice is withdrawn alone`() {
    for text in ["Read-only.", "Recovered."] { bar.show(text, lifetime: .long) }
    #expect(text(of: bar) == "Read-only.\nRecovered.")
    bar.show("later")
    bar.show("Couldn’t add this copy.", isAboutCapture: true)
    #expect(text(of: bar) == "Read-only.\nRecovered.\nCouldn’t add this copy.")
    bar.withdrawCaptureFailures()
    #expect(text(of: bar) == "Read-only.\nRecovered.")
    bar.withdraw("Read-only.")
    #expect(bar.root.isRevealed && text(of: bar) == "Recovered.")
    bar.withdraw("Recovered.")
    #expect(!bar.root.isRevealed)
  }

  @Test(arguments: [700, 140])
  func `a long notice is fully visible, but scrolls in a short window instead of enlarging the window`(
    height: Int
  ) throws {
    let list = Label("list")
    list.expand(horizontally: true, vertically: true)
    let window = Window(title: "Notices")
    window.defaultSize = (360, height)
    window.setChild(Box(.vertical, [list, Bar.scrollingStack([bar.root])]))
    window.present(.ambient)
    defer { window.destroy() }
    let long =
      String(repeating: "Die Datei des Verlaufs war beschädigt. ", count: 12) + "“history.damaged”"
    bar.show(long, lifetime: .long)
    let scrolled = try #require(widgets(gtk_scrolled_window_get_type(), in: window.widget).first)
    let adjustment = gtk_scrolled_window_get_vadjustment(OpaquePointer(scrolled))
    func isLaidOut() -> Bool {
      let (seen, whole) = (gtk_adjustment_get_page_size(adjustment), gtk_adjustment_get_upper(adjustment))
      return height == 700 ? seen > 150 && whole == seen : seen > 60 && whole > seen + 60
    }
    #expect(MainLoop.run(until: isLaidOut, atMost: .seconds(20)))
    let label = OpaquePointer(try #require(widgets(gtk_label_get_type(), in: bar.root.widget).first))
    #expect(pango_layout_is_ellipsized(gtk_label_get_layout(label)) == 0)
    #expect(pango_layout_get_line_count(gtk_label_get_layout(label)) > 8)
    #expect(gtk_widget_get_height(window.widget) <= height)
    // The keyboard reaches the button in the scrolled area, where Page Down scrolls.
    gtk_window_set_focus(window.cast(), nil)
    _ = gtk_widget_child_focus(window.widget, GTK_DIR_TAB_FORWARD)
    let focus = try #require(gtk_window_get_focus(window.cast()))
    #expect(gtk_widget_is_ancestor(focus, gtk_widget_get_parent(bar.root.widget)) != 0)
    #expect(gtk_widget_is_ancestor(bar.root.widget, scrolled) != 0)
  }
}
