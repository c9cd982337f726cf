import CGtk
import ClipHistory
import TestSupport
import Testing

@testable import CopyPastaApp
@testable import GtkKit

@MainActor
@Suite(.serialized) struct HistoryListTests {
  init() async throws { try await openDisplay() }

  @Test func `closing a row's menu right after opening it returns the focus to the row`() async throws {
    try await withList(of: ["one", "two", "three"]) { list, _ in
      @MainActor func focus() -> UnsafeMutablePointer<GtkWidget>? {
        gtk_root_get_focus(gtk_widget_get_root(list.root.widget))
      }
      list.focusNewest()
      let row = try #require(focus())
      list.openMenu(of: list.session.model.id(at: 0))
      let menu = try #require(widgets(gtk_popover_menu_get_type(), in: list.root.widget).first)
      #expect(
        MainLoop.run(
          until: { focus().map { gtk_widget_is_ancestor($0, menu) != 0 } == true }, atMost: .seconds(20)))
      gtk_popover_popdown(Object(Owned(borrowing: menu)).cast())
      #expect(focus() == row)
    }
  }

  // MARK: - First steps

  private func firstSteps(in list: HistoryList) -> [UnsafeMutablePointer<GtkWidget>] {
    widgets(in: list.root.widget).filter {
      gtk_widget_has_css_class($0, "first-steps") != 0 && gtk_widget_get_mapped($0) != 0
    }
  }

  @Test func `the help below the rows has the first steps until the third item`() async throws {
    try await withList(of: ["one"], height: 800) { list, scratch in
      for isPaused in [true, false] {
        list.isPaused = isPaused
        #expect(
          firstSteps(in: list).first.map { labelTexts(in: $0) } == [StatusPage.firstSteps(isPaused: isPaused)]
        )
      }
      list.note = "A note."
      list.session.model.insertNewest([try #require(try await scratch.record("two"))])
      drawFrame(of: list)
      let shown = try #require(firstSteps(in: list).first)
      let last = try #require(rows(of: list).last)
      let place = try #require(Widget(Owned(borrowing: shown)).bounds(in: list.root))
      #expect(place.y >= last.place.y + last.place.height)
      #expect(labelTexts(in: shown) == [StatusPage.firstSteps(isPaused: false) + "\nA note."])
      list.session.model.insertNewest([try #require(try await scratch.record("three"))])
      drawFrame(of: list)
      #expect(firstSteps(in: list).isEmpty)
    }
  }

  @Test func `the first-steps help is hidden in a short window`() async throws {
    try await withList(of: ["one", "two"], height: 90) { list, _ in
      #expect(firstSteps(in: list).isEmpty && rows(of: list).count == 2)
    }
  }

  // MARK: - Rows

  /// Shows a list of texts, oldest first, in a window and runs `body`.
  func withList(
    of texts: [String], width: Int = 480, height: Int = 400, clipboard: FakeClipboard = FakeClipboard(),
    now: @escaping @Sendable () -> Int64 = { Format.now }, ageInterval: Duration = .seconds(15),
    _ body: @MainActor (HistoryList, Scratch) async throws -> Void
  ) async throws {
    let scratch = try await Scratch(texts)
    let session = HistorySession.make(
      at: scratch.location, clipboard, now: { 0 }, firstPageSize: HistoryList.rowCount(inHeight: 400))
    let list = HistoryList(session, now: now, ageInterval: ageInterval)
    let window = Window(title: "Rows")
    window.addStyle("copypasta")
    window.defaultSize = (width, height)
    window.setChild(list.root)
    window.present(.ambient)
    #expect(MainLoop.run(until: { list.root.isMapped }, atMost: .seconds(20)))
    await list.session.loadRest()
    drawFrame(of: list)
    try await body(list, scratch)
    window.destroy()
  }

  /// Waits until changes are laid out and drawn.
  func drawFrame(of list: HistoryList) {
    for _ in 1...3 {
      var isDrawn = false
      list.root.onNextFrame { isDrawn = true }
      #expect(MainLoop.run(until: { isDrawn }, atMost: .seconds(20)))
    }
  }

  /// The visible rows from top to bottom, with their bounds in the list and the texts of their labels.
  func rows(of list: HistoryList) -> [(
    widget: UnsafeMutablePointer<GtkWidget>, place: GtkKit.Rectangle, texts: [String]
  )] {
    widgets(in: list.root.widget).filter {
      gtk_widget_has_css_class($0, "clip") != 0 && gtk_widget_get_mapped($0) != 0
    }
    .compactMap { row in
      guard let place = Widget(Owned(borrowing: row)).bounds(in: list.root), place.y + place.height > 0 else {
        return nil
      }
      return (row, place, labelTexts(in: row))
    }.sorted { $0.place.y < $1.place.y }
  }

  @Test func `the nine newest rows show their shortcut digits`() async throws {
    try await withList(of: (1...12).map { "text \($0)" }) { list, _ in
      list.focus(list.session.model.id(at: 0))
      drawFrame(of: list)
      #expect(rows(of: list).first?.texts == ["text 12", "just now", "1"])
      list.session.model.remove(list.session.model.id(at: 0))
      drawFrame(of: list)
      #expect(rows(of: list).first?.texts == ["text 11", "just now", "1"])
      list.focus(list.session.model.id(at: 10))
      drawFrame(of: list)
      let digit = try #require(rows(of: list).last).widget
      #expect(
        widgets(gtk_label_get_type(), in: digit).dropFirst(2).allSatisfy { gtk_widget_get_mapped($0) == 0 })
    }
  }

  /// The number of lines that a row's text has on the screen.
  private func lineCount(_ row: UnsafeMutablePointer<GtkWidget>) -> gint {
    pango_layout_get_line_count(gtk_label_get_layout(OpaquePointer(gtk_widget_get_first_child(row))))
  }

  @Test func `several lines stay apart, each shortened, and a long line wraps`() async throws {
    let long = String(repeating: "many words ", count: 20)
    try await withList(of: ["1\n\n2\n3\n4", long + "\n" + long, long]) { list, _ in
      #expect(rows(of: list).map { lineCount($0.widget) } == [3, 2, 3])
      #expect(rows(of: list)[2].texts[0] == "1\n2\n3\u{A0}…")
      for row in rows(of: list).dropLast() {
        let label = OpaquePointer(gtk_widget_get_first_child(row.widget))
        #expect(pango_layout_is_ellipsized(gtk_label_get_layout(label)) != 0)
      }
      list.lineLimit = 1
      drawFrame(of: list)
      #expect(rows(of: list).map { lineCount($0.widget) } == [1, 1, 1])
      #expect(rows(of: list)[2].texts[0] == "1\u{A0}…")
    }
  }

  /// The places of a row's labels.
  private func places(in row: UnsafeMutablePointer<GtkWidget>, of list: HistoryList) -> [GtkKit.Rectangle?] {
    widgets(gtk_label_get_type(), in: row).map { Widget(Owned(borrowing: $0)).bounds(in: list.root) }
  }

  @Test func `only the copied row has a sign; it moves no text, and all ages have one width`() async throws {
    let texts = ["short", String(repeating: "many words ", count: 20)]
    try await withList(of: texts) { list, scratch in
      let old = try #require(try await scratch.record("a year ago", at: Format.now - 400 * 86_400_000_000))
      let unknown = try #require(try await scratch.record("unknown", at: -1))
      list.session.model.insertNewest([old])
      list.session.model.insertNewest([unknown])
      drawFrame(of: list)
      let before = rows(of: list).map { places(in: $0.widget, of: list) }
      #expect(Set(before.map { $0[1].map { "\($0.x) \($0.width)" } }).count == 1, "\(before)")
      #expect(rows(of: list).map { $0.texts[1].isEmpty } == [true, false, false, false])
      for position in 0..<4 {
        list.session.copy(list.session.model.id(at: position))
        await list.session.drain()
        drawFrame(of: list)
        let rows = rows(of: list)
        #expect(rows.map { places(in: $0.widget, of: list) } == before)
        #expect(
          rows.map { gtk_widget_has_css_class($0.widget, "on-clipboard") != 0 }
            == (0..<4).map { $0 == position })
      }
    }
  }

  @Test(arguments: [GTK_TEXT_DIR_LTR, GTK_TEXT_DIR_RTL])
  func `at text size 2 in a narrow window no age is cut and the text keeps two fifths of the row`(
    direction: GtkTextDirection
  ) async throws {
    gtk_widget_set_default_direction(direction)
    defer { gtk_widget_set_default_direction(GTK_TEXT_DIR_LTR) }
    let large = StyleSheet(".copypasta { font-size: 2em; }", level: 1)
    try await withList(of: ["some text"], width: 360) { list, scratch in
      list.session.model.insertNewest([
        try #require(try await scratch.record("مرحبا", at: Format.now - 400 * 86_400_000_000))
      ])
      drawFrame(of: list)
      for row in rows(of: list) {
        let labels = widgets(gtk_label_get_type(), in: row.widget)
        var least: gint = 0
        gtk_widget_measure(labels[1], GTK_ORIENTATION_HORIZONTAL, -1, &least, nil, nil, nil)
        #expect(gtk_widget_get_mapped(labels[1]) == 0 || gtk_widget_get_width(labels[1]) >= least)
        #expect(
          Double(gtk_widget_get_width(labels[0])) >= Double(gtk_widget_get_width(row.widget)) * 0.4 - 12)
      }
    }
    withExtendedLifetime(large) {}
  }

  @Test(.tags(.showsSixteenItems)) func `480×640 pixels show at least 16 items with one preview line`()
    async throws
  {
    // A font that every machine with the tests has.
    let font = StyleSheet(".clip { font: 10pt DejaVu Sans; }", level: 1)
    defer { withExtendedLifetime(font) {} }
    // The header bar takes 50 pixels.
    try await withList(of: (1...20).map { "text \($0)" }, height: 640 - 50) { list, _ in
      list.lineLimit = 1
      drawFrame(of: list)
      let bottom = try #require(list.root.bounds(in: list.root)).height
      let whole = rows(of: list).filter { $0.place.y >= 0 && $0.place.y + $0.place.height <= bottom }
      #expect(whole.count >= 16)
      #expect(whole.allSatisfy { $0.place.height == Double(ClipRow.leastHeight) })
    }
  }

  @Test(arguments: [GTK_TEXT_DIR_LTR, GTK_TEXT_DIR_RTL])
  func `ages and digits follow the text in the interface's direction, whatever the direction of the text`(
    direction: GtkTextDirection
  ) async throws {
    gtk_widget_set_default_direction(direction)
    defer { gtk_widget_set_default_direction(GTK_TEXT_DIR_LTR) }
    try await withList(of: ["  if true", "مرحبا بالعالم"]) { list, _ in
      for row in rows(of: list) {
        let labels = widgets(gtk_label_get_type(), in: row.widget)
        let places = labels.map { Widget(Owned(borrowing: $0)).bounds(in: list.root)?.x ?? .nan }
        #expect(places == (direction == GTK_TEXT_DIR_LTR ? places.sorted() : places.sorted(by: >)))
      }
    }
  }

  @Test(.tags(.actsOnThePressedRow))
  func `a swipe acts on the touched row, and leaves no trace on a recycled row`() async throws {
    try await withList(of: (1...3).map { "text \($0)" }) { list, scratch in
      let view = list.view
      @MainActor func styles() -> [String: Bool] {
        Dictionary(
          uniqueKeysWithValues: rows(of: list).map {
            ($0.texts[0], gtk_widget_has_css_class(gtk_widget_get_parent($0.widget), "swiped-to-delete") != 0)
          })
      }
      var done: [String] = []
      let touched = list.session.model.id(at: 1)
      let swipe = RowSwipe(over: touched, in: view) { done.append("\($0.name) \($1 == touched)") }
      swipe.moved(to: -20)
      list.session.model.insertNewest([try #require(try await scratch.record("text 4"))])
      drawFrame(of: list)
      swipe.moved(to: -300)
      #expect(styles() == ["text 4": false, "text 3": false, "text 2": true, "text 1": false])
      swipe.ended(isCancelled: false)
      #expect(done == ["delete true"] && !styles().values.contains(true))
      // The row is unbound during a swipe.
      let other = RowSwipe(over: touched, in: view) { _, _ in }
      other.moved(to: -300)
      list.session.model.remove(touched)
      drawFrame(of: list)
      #expect(!styles().values.contains(true) && styles().count == 3)
      other.ended(isCancelled: true)
    }
  }

  @Test func `a long preview ends with an ellipsis even in a very wide window`() async throws {
    let japanese = String(repeating: "日本語", count: 50)
    let english = String(repeating: "The quick brown ", count: 160)
    try await withList(of: [japanese, english, "whole"], width: 3000) { list, _ in
      #expect(
        rows(of: list).map { $0.texts[0] } == [
          "whole", String(repeating: "The quick brown ", count: 25) + "\u{A0}…",
          japanese.prefix(133) + "\u{A0}…",
        ])
    }
  }

  @Test func `ages are refreshed unless the list is hidden, and when it is shown again`() async throws {
    let clock = TestClock(ClockReading(wallTime: Format.now, bootTime: 0, bootID: ""))
    try await withList(of: ["one"], now: { clock.wallTime }, ageInterval: .milliseconds(20)) { list, _ in
      @MainActor func age() -> String? { rows(of: list).first?.texts[1] }
      let captured = list.session.model.clip(at: 0).capturedAt
      clock.set(ahead: captured + 118_000_000 - clock.wallTime)
      #expect(MainLoop.run(until: { age() == "1 min" }, atMost: .seconds(20)))
      clock.set(ahead: 3_000_000)
      #expect(MainLoop.run(until: { age() == "2 min" }, atMost: .seconds(20)))
      let window = try #require(gtk_widget_get_ancestor(list.root.widget, gtk_window_get_type()))
      let label = try #require(rows(of: list).first.map { widgets(gtk_label_get_type(), in: $0.widget)[1] })
      gtk_widget_set_visible(window, 0)
      clock.set(ahead: 60_000_000)
      #expect(!MainLoop.run(until: { false }, atMost: .milliseconds(100)))
      #expect(String(cString: gtk_label_get_text(OpaquePointer(label))) == "2 min")
      gtk_widget_set_visible(window, 1)
      drawFrame(of: list)
      #expect(age() == "3 min")
    }
  }

  /// So many separate removals are reported as one change of all rows between them.
  @Test(arguments: [20, 21]) func `after many removals the focus is on the same row or on the next one`(
    focused: Int
  )
    async throws
  {
    try await withList(of: (0..<80).map { "text \($0)" }) { list, _ in
      let model = list.session.model
      list.focusNewest()
      list.focus(model.id(at: focused))
      drawFrame(of: list)
      let expected = model.id(at: 20)
      // Removes every other row, beginning with the oldest, which is at an odd position.
      model.remove(stride(from: 79, through: 1, by: -2).map(model.id(at:)).sorted().filter { $0 != expected })
      drawFrame(of: list)
      let wanted = focused == 20 ? expected : model.id(at: 11)
      #expect(list.view.focusedRow?.id == wanted)
    }
  }
}
