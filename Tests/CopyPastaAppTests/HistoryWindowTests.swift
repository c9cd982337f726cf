import CGtk
import ClipHistory
import ClipboardCore
import GtkTestSupport
import TestSupport
import Testing

@testable import CopyPastaApp
@testable import GtkKit

/// The window's handling of events that concern no single row.
@MainActor
@Suite(.serialized) struct HistoryWindowTests {
  init() async throws { try await TestDisplay.open() }

  @Test func `a full text that was requested before the window was hidden is not shown`() async throws {
    let scratch = try Scratch()
    let clip = try #require(try await scratch.record("private"))
    var shown: [TextWindow] = []
    let services = AppServices.keepingNothing(showing: .success(scratch.history), FakeShortcut())
    let window = HistoryWindow(services, showText: { shown.append($0) }, closed: {})
    window.present(.ambient)
    let text = ShownText(try ClipText(validating: Array("private".utf8)))
    window.show(text, of: clip)
    #expect(shown.count == 1)
    window.hide()
    window.show(text, of: clip)
    #expect(shown.count == 1)
    for text in shown { text.window.destroy() }
    window.destroy()
  }

  @Test func `a changed size limit applies to the next dropped text`() async throws {
    let scratch = try Scratch()
    let services = AppServices.keepingNothing(showing: .success(scratch.history), FakeShortcut())
    let window = HistoryWindow(services, showText: { _ in }, closed: {})
    window.present(.ambient)
    try await pump("the first frame") { window.isDrawn }
    let controller = try #require(window.controller)
    for limit in [1, 7] {
      services.preferences.sizeLimitInMiB = limit
      let drop = RefusingDrop()
      controller.record(drop)
      try await pump("the drop read") { drop.limit != nil }
      #expect(drop.limit == limit << 20)
    }
    window.destroy()
  }

  @Test func `the empty page has different titles for a new and an emptied history`() async throws {
    let scratch = try Scratch()
    let controller = try HistorySession(
      scratch.store, scratch.history.reader, FakeClipboard(), now: { 0 }, firstPageSize: 30,
      delegate: RecordingView())
    let body = HistoryContentView(controller: { controller }, copyCommand: {})
    body.show(HistoryList(controller, now: { 0 }))
    #expect(body.emptyPage.title == "Nothing Copied Yet")
    let clip = try #require(try await scratch.record("one"))
    controller.model.insertNewest([clip])
    body.draw()
    controller.model.remove(clip.id)
    body.draw()
    #expect(body.emptyPage.title == "History Is Empty")
    await controller.close()
  }

  @Test func `during a pause the empty page says how to resume`() {
    let body = HistoryContentView(controller: { nil }, copyCommand: {})
    for isPaused in [true, false] {
      body.isPaused = isPaused
      #expect(body.emptyPage.text.contains("To resume, click Paused") == isPaused)
    }
  }

  @Test func `the undo bar reports when its button gets the focus`() async throws {
    var arrivals = 0
    let bar = UndoBar(of: {
      arrivals += 1
      return nil
    })
    let window = Window(title: "undo")
    window.setChild(bar.root)
    bar.show(1)
    window.present(.ambient)
    try await pump("the bar on the screen") { bar.root.isMapped }
    let button = try #require(widgets(gtk_button_get_type(), in: bar.root.widget).first)
    try await pump("the focus on the button") {
      gtk_widget_grab_focus(button)
      return bar.hasFocus
    }
    #expect(arrivals > 0)
    window.destroy()
  }

  @Test func `a page in place of the list hides the undo bar`() throws {
    let body = HistoryContentView(controller: { nil }, copyCommand: {})
    let bar = try #require(widgets(gtk_revealer_get_type(), in: body.root.widget).first)
    body.showDeletions(1)
    #expect(gtk_revealer_get_reveal_child(OpaquePointer(bar)) != 0)
    body.show(StatusPage(icon: "dialog-error-symbolic", title: "", text: ""), takesFocus: false)
    #expect(gtk_revealer_get_reveal_child(OpaquePointer(bar)) == 0)
  }

  @Test func `a page in place of the list hides the retention bar`() async throws {
    let scratch = try Scratch()
    try await scratch.record("old")
    let services = AppServices.keepingNothing(showing: .success(scratch.history), FakeShortcut())
    let window = HistoryWindow(services, showText: { _ in }, closed: {})
    window.ask(
      about: try await scratch.store.findExpired(
        after: .day, at: .now(wallTime: Format.now + 40 * 86_400_000_000)))
    #expect(window.retentionBar.root.isRevealed)
    scratch.history.reader.close()
    window.openHistory(recovering: false)
    #expect(window.controller == nil)
    #expect(!window.retentionBar.root.isRevealed)
    window.destroy()
  }

  @Test func `the indicator follows a pause while the history is unavailable`() {
    let services = AppServices.keepingNothing(FakeShortcut())
    let window = HistoryWindow(services, showText: { _ in }, closed: {})
    for isPaused in [true, false] {
      services.pause.isPaused = isPaused
      #expect(window.readingIndicator.state == (isPaused ? .paused : .idle))
    }
    window.destroy()
  }

  @Test func `hiding a focused undo bar returns the focus to the list`() async throws {
    let scratch = try Scratch()
    for text in ["one", "two"] { try await scratch.record(text) }
    let controller = try HistorySession(
      scratch.store, scratch.history.reader, FakeClipboard(), now: { 0 }, firstPageSize: 30,
      delegate: RecordingView())
    let body = HistoryContentView(controller: { controller }, copyCommand: {})
    let list = HistoryList(controller, now: { 0 })
    let window = Window(title: "body")
    window.setChild(body.root)
    body.show(list)
    window.present(.ambient)
    try await pump("the list on the screen") { list.root.isMapped }
    list.focusNewest()
    body.showDeletions(1)
    func focusIsWithin(_ widget: UnsafeMutablePointer<GtkWidget>) -> Bool {
      gtk_window_get_focus(window.cast()).map { gtk_widget_is_ancestor($0, widget) != 0 } ?? false
    }
    let undo = try #require(
      widgets(gtk_button_get_type(), in: body.root.widget).first {
        gtk_widget_get_ancestor($0, gtk_revealer_get_type()) != nil
      })
    gtk_widget_grab_focus(undo)
    #expect(!focusIsWithin(list.root.widget))
    body.showDeletions(0)
    #expect(focusIsWithin(list.root.widget))
    window.destroy()
    await controller.close()
  }
}

/// A dropped text that cannot be read; records the size limit with which a read was attempted.
@MainActor
private final class RefusingDrop: DroppedText {
  private(set) var limit: Int?

  func read(within limits: TransferLimits) async throws(TransferError) -> [UInt8] {
    limit = limits.bytes
    throw .refused
  }

  func finish(accepted: Bool) {}
}
