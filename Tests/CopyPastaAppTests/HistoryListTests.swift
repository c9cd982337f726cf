import CGtk
import ClipHistory
import GtkTestSupport
import TestSupport
import Testing

@testable import CopyPastaApp
@testable import GtkKit

@MainActor
@Suite(.serialized) struct HistoryListTests {
  init() async throws { try await TestDisplay.open() }

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

  private func list(
    of scratch: Scratch, clipboard: FakeClipboard = FakeClipboard(),
    now: @escaping @Sendable () -> Int64 = { 0 }
  ) -> HistoryList {
    let session = HistorySession.make(
      at: scratch.location, clipboard, now: { 0 }, firstPageSize: HistoryList.rowCount(inHeight: 400))
    return HistoryList(session, now: now)
  }

  // MARK: - First steps

  private func firstSteps(in list: HistoryList) -> [UnsafeMutablePointer<GtkWidget>] {
    widgets(in: list.root.widget).filter {
      gtk_widget_has_css_class($0, "first-steps") != 0 && gtk_widget_get_mapped($0) != 0
    }
  }

  @Test func `the help below the rows has first steps until the third item, and then a hint until the sixth`()
    async throws
  {
    try await withList(of: ["one"], height: 800) { list, scratch in
      for isPaused in [true, false] {
        list.isPaused = isPaused
        let words = firstSteps(in: list).first.flatMap { labelTexts(in: $0).first }
        #expect(words?.hasPrefix(isPaused ? "Paused: " : "Each time you open") == true)
      }
      list.showNote("A note.")
      for text in ["two", "three"] {
        let shown = try #require(firstSteps(in: list).first)
        let last = try #require(rows(of: list).last)
        let place = try #require(Widget(Owned(borrowing: shown)).bounds(in: list.root))
        #expect(place.y >= last.place.y + last.place.height)
        #expect(labelTexts(in: shown).first == StatusPage.firstSteps(isPaused: false) + "\nA note.")
        list.session.model.insertNewest([try #require(try await scratch.record(text))])
        drawFrame(of: list)
      }
      for number in 4...6 {
        #expect(
          firstSteps(in: list).map { labelTexts(in: $0).first } == [
            "Click an item to copy it, or press Ctrl and its number."
          ])
        list.session.model.insertNewest([try #require(try await scratch.record("\(number)"))])
        drawFrame(of: list)
      }
      #expect(firstSteps(in: list).isEmpty)
    }
  }

  @Test func `the first-steps help is hidden in a short window`() async throws {
    try await withList(of: ["one", "two"], height: 90) { list, _ in
      #expect(firstSteps(in: list).isEmpty && rows(of: list).count == 2)
    }
  }

  @Test func `a history that once had six items shows no help`() async throws {
    let scratch = try await Scratch("1", "2", "3", "4", "5", "6")
    try await scratch.store.delete(6)
    let list = list(of: scratch)
    #expect(list.session.model.count == 5 && list.session.model.countEver == 6)
    #expect(!widgets(in: list.root.widget).contains { gtk_widget_has_css_class($0, "first-steps") != 0 })
    await list.session.close()
  }

  // MARK: - Rows

  /// Shows a list of texts, oldest first, in a window and runs `body`.
  func withList(
    of texts: [String], width: Int = 480, height: Int = 400, clipboard: FakeClipboard = FakeClipboard(),
    now: @escaping @Sendable () -> Int64 = { Format.now },
    _ body: @MainActor (HistoryList, Scratch) async throws -> Void
  ) async throws {
    let scratch = try await Scratch(texts)
    let style = ProgramStyle()
    let list = list(of: scratch, clipboard: clipboard, now: now)
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
    await list.session.close()
    withExtendedLifetime(style) {}
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
      #expect(rows(of: list).last?.texts.dropFirst(2).allSatisfy(\.isEmpty) == true)
    }
  }

  @Test func `a row shows the preferred number of lines and the count of all lines`() async throws {
    try await withList(of: ["1\n2\n3\n4", "one"]) { list, _ in
      #expect(rows(of: list).last?.texts.first == "1 \u{2028}2 \u{2028}3\u{A0}…")
      #expect(rows(of: list).last?.texts[1] == "4 lines · just now")
      list.lineLimit = 1
      drawFrame(of: list)
      #expect(rows(of: list).last?.texts.first == "1\u{A0}…")
    }
  }

  @Test func `480×640 pixels show at least 16 items with one preview line`() async throws {
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

  @Test func `only the row on the clipboard has its own style`() async throws {
    try await withList(of: ["one", "two", "three"]) { list, _ in
      @MainActor func signs() -> [Bool] {
        rows(of: list).map { gtk_widget_has_css_class($0.widget, "on-clipboard") != 0 }
      }
      list.session.copy(list.session.model.id(at: 1))
      await list.session.drain()
      #expect(signs() == [false, true, false])
      list.session.copy(list.session.model.id(at: 2))
      await list.session.drain()
      #expect(signs() == [false, false, true])
    }
  }

  @Test
  func `a swipe acts on the touched row although a new row arrives, and leaves no trace on a recycled row`()
    async throws
  {
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

  @Test func `ages are updated when the list is shown again`() async throws {
    let clock = TestClock(ClockReading(wallTime: 0, bootTime: 0, bootID: ""))
    try await withList(of: ["one"], now: { clock.wallTime }) { list, _ in
      let window = try #require(gtk_widget_get_ancestor(list.root.widget, gtk_window_get_type()))
      let captured = list.session.model.clip(at: 0).capturedAt
      // The clock may be set back.
      let ages = [0, 5, 180, 0, 14_400].map { (minutes: Int64) -> String? in
        gtk_widget_set_visible(window, 0)
        clock.set(ahead: captured + minutes * 60_000_000 - clock.wallTime)
        gtk_widget_set_visible(window, 1)
        drawFrame(of: list)
        return rows(of: list).first?.texts.dropFirst().first
      }
      #expect(ages[0] == ages[3] && Set(ages).count == 4 && !ages.contains(nil), "\(ages)")
    }
  }
}
