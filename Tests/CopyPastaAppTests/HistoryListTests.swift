import GtkKit
import GtkTestSupport
import TestSupport
import Testing

@testable import CopyPastaApp

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
      let view = RecordingView([])
      let controller = HistoryController(scratch.store, FakeClipboard(), now: { 0 }, view: view)
      let list = try HistoryList(
        scratch.history.reader, height: 400, controller: controller, now: { 0 }, countChanged: {})
      (goneList, goneController) = (list, controller)
      pages.show("list") { list.root }
      window.present(.ambient)
      list.isShown = true
      list.focusNewest()
      #expect(MainLoop.run(until: { list.root.isMapped }, atMost: .seconds(20)))
      list.flash(list.id(at: 0))
      _ = list.remove(list.id(at: 1))
      list.detach()
      pages.removeAll()
      await controller.close()
    }
    #expect(MainLoop.run(until: { goneList == nil && goneController == nil }, atMost: .seconds(20)))
    window.destroy()
  }
}
