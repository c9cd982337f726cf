import CGtk
import GtkTestSupport
import Synchronization
import TestSupport
import Testing

@testable import CopyPastaApp
@testable import GtkKit

@MainActor
@Suite(.serialized) struct HistoryListTests {
  init() async throws { try await TestDisplay.open() }

  /// A history that is opened anew gets another one.
  @Test func `a list that was shown goes when it is let go, and with it its controller`() async throws {
    let scratch = try Scratch()
    for text in ["one", "two", "three"] { try await scratch.record(text) }
    weak var goneList: HistoryList?
    weak var goneController: HistoryController?
    let window = Window(title: "List")
    let pages = Stack()
    window.setChild(pages)
    do {
      let list = try list(of: scratch)
      let controller = list.controller
      (goneList, goneController) = (list, controller)
      pages.show("list") { list.root }
      window.present(.ambient)
      list.focusNewest()
      #expect(MainLoop.run(until: { list.root.isMapped }, atMost: .seconds(20)))
      list.flash(controller.model.id(at: 0))
      controller.model.remove(controller.model.id(at: 1))
      pages.removeAll()
      await controller.close()
    }
    #expect(MainLoop.run(until: { goneList == nil && goneController == nil }, atMost: .seconds(20)))
    window.destroy()
  }

  @Test func `once the menu of a row is closed, the row has the focus at once`() async throws {
    let scratch = try Scratch()
    for text in ["one", "two", "three"] { try await scratch.record(text) }
    let list = try list(of: scratch)
    let window = Window(title: "Menu")
    window.setChild(list.root)
    window.present(.ambient)
    #expect(MainLoop.run(until: { list.root.isMapped }, atMost: .seconds(20)))
    list.focusNewest()
    let row = try #require(gtk_window_get_focus(window.cast()))
    let menu = try #require(widgets(gtk_popover_menu_get_type(), in: list.root.widget).first)
    list.openMenu(of: list.controller.model.id(at: 0))
    func hasFocusInMenu() -> Bool {
      gtk_window_get_focus(window.cast()).map { gtk_widget_is_ancestor($0, menu) != 0 } ?? false
    }
    #expect(MainLoop.run(until: hasFocusInMenu, atMost: .seconds(20)))
    gtk_popover_popdown(Object(Owned(borrowing: menu)).cast())
    #expect(gtk_window_get_focus(window.cast()) == row)
    window.destroy()
    await list.controller.close()
  }

  private func list(of scratch: Scratch, now: @escaping @Sendable () -> Int64 = { 0 }) throws -> HistoryList {
    let controller = try HistoryController(
      scratch.store, scratch.history.reader, FakeClipboard(), now: { 0 },
      firstPageSize: HistoryList.rowCount(inHeight: 400), host: RecordingView())
    return HistoryList(controller, now: now)
  }

  @Test func `a long text says that it goes on in whatever width`() async throws {
    let scratch = try Scratch()
    let japanese = String(repeating: "日本語", count: 50)
    for text in [japanese, String(repeating: "The quick brown ", count: 160), "whole"] {
      try await scratch.record(text)
    }
    let list = try list(of: scratch)
    let window = Window(title: "Wide")
    window.defaultSize = (3000, 400)
    window.setChild(list.root)
    window.present(.ambient)
    #expect(MainLoop.run(until: { list.root.isMapped }, atMost: .seconds(20)))
    let texts = widgets(gtk_label_get_type(), in: list.root.widget).map {
      String(cString: gtk_label_get_text(OpaquePointer($0)))
    }
    let words = String(repeating: "The quick brown ", count: 25)
    #expect(texts.contains(words + "…"))
    #expect(texts.contains(japanese.prefix(133) + "…"))
    #expect(texts.contains("whole"))
    window.destroy()
    await list.controller.close()
  }

  @Test func `ages are not looked at while the window is hidden`() async throws {
    let scratch = try Scratch()
    let clip = try #require(try await scratch.record("one"))
    // Each look is followed by another one in a second.
    let clock = StandingClock(time: clip.capturedAt + 119_999_999)
    let list = try list(of: scratch, now: { clock.look() })
    let window = Window(title: "Ages")
    window.setChild(list.root)
    window.present(.ambient)
    var otherLooks = 0
    let other = Age.Clock(now: { clock.time }, times: { [clip.capturedAt] }) { otherLooks += 1 }
    // The clock goes on by itself.
    let before = clock.looks
    #expect(MainLoop.run(until: { clock.looks > before + 4 }, atMost: .seconds(20)))
    window.isVisible = false
    let hidden = clock.looks
    other.isRunning = true
    #expect(MainLoop.run(until: { otherLooks > 2 }, atMost: .seconds(20)))
    #expect(clock.looks == hidden)
    window.destroy()
    await list.controller.close()
  }
}

/// A clock that stands still, and counts who looks at it.
private final class StandingClock: Sendable {
  let time: Int64
  private let count = Atomic(0)

  init(time: Int64) { self.time = time }

  var looks: Int { count.load(ordering: .relaxed) }

  func look() -> Int64 {
    count.add(1, ordering: .relaxed)
    return time
  }
}
