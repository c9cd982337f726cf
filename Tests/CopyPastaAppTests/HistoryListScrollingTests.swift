import CGtk
import GtkTestSupport
import Testing

@testable import CopyPastaApp
@testable import GtkKit

/// Which rows are visible after the list has changed.
extension HistoryListTests {
  /// Whether the focus is on this row.
  private func hasFocus(_ row: UnsafeMutablePointer<GtkWidget>) -> Bool {
    gtk_widget_is_focus(gtk_widget_get_parent(row)) != 0
  }

  /// The button that counts the new items above, if it is shown.
  private func newItemsButton(in list: HistoryList) -> UnsafeMutablePointer<GtkWidget>? {
    widgets(in: list.root.widget).first {
      gtk_widget_has_css_class($0, "new-items") != 0 && gtk_widget_get_visible($0) != 0
    }
  }

  /// Scrolls as the wheel does.
  private func scroll(_ list: HistoryList) throws {
    let scroll = try #require(widgets(gtk_scrolled_window_get_type(), in: list.root.widget).first)
    gtk_adjustment_set_value(gtk_scrolled_window_get_vadjustment(OpaquePointer(scroll)), 300)
  }

  @Test(arguments: [0, 3, 15, 29], [false, true])
  func `deleting a row does not move the rows above`(position: Int, barAppearsLater: Bool) async throws {
    let texts = (0..<40).map { $0 % 3 == 0 ? "text \($0)\nand more" : "text \($0)" }
    try await withList(of: texts) { list, _ in
      let model = list.session.model
      list.focusNewest()
      list.focus(model.id(at: position + 2))
      drawFrame(of: list)
      list.focus(model.id(at: position))
      drawFrame(of: list)
      let (gone, before) = (PreviewText(model.clip(at: position).preview).text, rows(of: list))
      let above = before.prefix { $0.texts[0] != gone }
      list.session.delete(model.id(at: position))
      await list.session.drain()
      if barAppearsLater { drawFrame(of: list) }
      list.coveredHeight = 70
      drawFrame(of: list)
      @MainActor func expectSamePlaces(_ when: Comment) {
        let after = rows(of: list)
        for row in above {
          #expect(after.first { $0.texts[0] == row.texts[0] }?.place.y == row.place.y, when)
        }
        let next = after.first { hasFocus($0.widget) }
        #expect((next?.place.y ?? -1) >= 0, "\(when), \(after.map { ($0.texts[0], $0.place.y) })")
      }
      expectSamePlaces("deleted")
      list.coveredHeight = 0
      drawFrame(of: list)
      expectSamePlaces("the bar hidden")
    }
  }

  @Test func `a new item is tinted briefly; a scrolled list shows a button to it`() async throws {
    try await withList(of: (0..<40).map { "text \($0)" }) { list, scratch in
      @MainActor func isTinted() -> Bool {
        rows(of: list).contains { gtk_widget_has_css_class($0.widget, "arrived") != 0 }
      }
      list.focusNewest()
      drawFrame(of: list)
      let first = try #require(try await scratch.record("first"))
      list.session.model.insertNewest([first])
      drawFrame(of: list)
      #expect(isTinted() && newItemsButton(in: list) == nil)
      #expect(MainLoop.run(until: { !isTinted() }, atMost: .seconds(20)))
      list.focus(list.session.model.id(at: 30))
      drawFrame(of: list)
      let seen = rows(of: list).first?.place
      let second = try #require(try await scratch.record("second"))
      list.session.model.insertNewest([second])
      drawFrame(of: list)
      #expect(rows(of: list).first?.place == seen)
      let made = try #require(newItemsButton(in: list))
      #expect(labelTexts(in: made) == ["1 New"])
      copypasta_emit(UnsafeMutableRawPointer(made), "clicked")
      drawFrame(of: list)
      #expect(rows(of: list).first?.texts.first == "second")
      #expect(gtk_widget_get_visible(made) == 0)
      // A restored item does not count as new.
      let gone = try #require(list.session.model.remove(second.id))
      list.session.model.restore(gone)
      drawFrame(of: list)
      #expect(gtk_widget_get_visible(made) == 0)
    }
  }

  /// The list is scrolled by its focused row (0 is the newest), or as by the wheel if the focus is elsewhere or at 0.
  @Test(arguments: [nil, 0, 15, 39] as [Int?])
  func `new items move no visible row of a scrolled list`(focused: Int?) async throws {
    try await withList(of: (0..<40).map { "text \($0)" }) { list, scratch in
      if let focused {
        list.focusNewest()
        list.focus(list.session.model.id(at: focused))
        drawFrame(of: list)
      }
      if focused ?? 0 == 0 { try scroll(list) }
      drawFrame(of: list)
      @MainActor func places() -> [String: Double] {
        Dictionary(uniqueKeysWithValues: rows(of: list).map { ($0.texts[0], $0.place.y) })
      }
      let before = places()
      #expect(before.count > 5 && before["text 39"] == nil)
      for text in ["first", "second"] {
        list.session.model.insertNewest([try #require(try await scratch.record(text))])
        drawFrame(of: list)
        #expect(places() == before)
      }
    }
  }

  /// Deletes the newest two rows, or another one before the list is scrolled.
  @Test(arguments: [([0, 0], "text 39"), ([2], "text 37")])
  func `undoing deletions scrolls back to the restored rows`(positions: [Int], restored: String) async throws
  {
    try await withList(of: (0..<40).map { "text \($0)" }) { list, _ in
      let token = list.session.events.add { [unowned list] in
        if case .contentChanged = $0 { list.coveredHeight = list.session.deletions.count > 0 ? 70 : 0 }
      }
      list.focusNewest()
      list.focus(list.session.model.id(at: positions[0]))
      drawFrame(of: list)
      for position in positions { list.session.delete(list.session.model.id(at: position)) }
      await list.session.drain()
      drawFrame(of: list)
      #expect(list.coveredHeight > 0)
      if positions == [2] { try scroll(list) }
      drawFrame(of: list)
      #expect(rows(of: list).first?.texts.first != "text 39")
      list.session.undoAll()
      await list.session.drain()
      drawFrame(of: list)
      let row = try #require(rows(of: list).first { $0.texts.first == restored })
      #expect(row.place.y >= 0 && hasFocus(row.widget))
      withExtendedLifetime(token) {}
    }
  }

  /// The message may disappear before the row is back, both before the next frame.
  @Test(arguments: [false, true])
  func `undoing a deletion moves no row above, in whatever order the message disappears`(isScrolled: Bool)
    async throws
  {
    try await withList(of: (0..<40).map { "text \($0)" }) { list, _ in
      let model = list.session.model
      list.focusNewest()
      list.focus(model.id(at: isScrolled ? 30 : 2))
      drawFrame(of: list)
      list.focus(model.id(at: isScrolled ? 26 : 2))
      drawFrame(of: list)
      let gone = try #require(model.remove(model.id(at: isScrolled ? 26 : 2)))
      list.coveredHeight = 70
      drawFrame(of: list)
      let before = rows(of: list)
      list.coveredHeight = 0
      model.restore(gone)
      drawFrame(of: list)
      let after = rows(of: list)
      let above = before.prefix { $0.texts[0] > "text \(isScrolled ? 13 : 37)" }
      #expect(!above.isEmpty)
      for row in above {
        #expect(after.first { $0.texts[0] == row.texts[0] }?.place.y == row.place.y)
      }
    }
  }

  @Test func `pasting scrolls to the pasted row, which does not count as new`() async throws {
    let clipboard = FakeClipboard()
    clipboard.resultOnPurpose = .success(.text("pasted"))
    try await withList(of: (0..<40).map { "text \($0)" }, clipboard: clipboard) { list, _ in
      list.focusNewest()
      list.focus(list.session.model.id(at: 20))
      drawFrame(of: list)
      list.flash(list.session.model.id(at: 20))
      list.session.paste()
      try await pump("the pasted row") { list.session.model.count == 41 }
      drawFrame(of: list)
      let pasted = try #require(rows(of: list).first)
      #expect(pasted.texts.first == "pasted" && pasted.place.y >= 0 && hasFocus(pasted.widget))
      #expect(newItemsButton(in: list) == nil)
    }
  }
}
