import CGtk
import ClipHistory
import ClipboardCore
import Foundation
import GtkTestSupport
import TestSupport
import Testing

@testable import CopyPastaApp
@testable import GtkKit

/// The window's handling of events that concern no single row.
@MainActor
@Suite(.serialized) struct HistoryWindowTests {
  init() async throws { try await TestDisplay.open() }

  private func window(
    of session: HistorySession, showText: @escaping @MainActor (TextWindow) -> Void = { _ in }
  ) -> HistoryWindow {
    HistoryWindow(session.services, session, showText: showText, closed: {})
  }

  @Test func `a full text that was requested before the window was hidden is not shown`() async throws {
    let scratch = try await Scratch("private")
    var shown: [TextWindow] = []
    let session = HistorySession.make(at: scratch.location)
    let window = window(of: session) { shown.append($0) }
    window.present(.ambient)
    session.show(session.ids[0])
    try await pump("the text") { shown.count == 1 }
    window.hide()
    session.show(session.ids[0])
    await session.drain()
    var isIdle = false
    Task {
      await MainLoop.idle()
      isIdle = true
    }
    try await pump("an idle main loop") { isIdle }
    #expect(shown.count == 1)
    for text in shown { text.window.destroy() }
    window.destroy()
  }

  @Test func `a changed size limit applies to the next dropped text`() async throws {
    let scratch = try Scratch()
    let session = HistorySession.make(at: scratch.location)
    session.start()
    for limit in [1, 7] {
      session.services.preferences.sizeLimitInMiB = limit
      let drop = FakeDrop(.failure(.refused))
      session.record(drop)
      try await waitUntil("the drop read") { drop.limit != nil }
      #expect(drop.limit == limit << 20)
    }
  }

  @Test func `the empty page has different titles for a new and an emptied history`() async throws {
    let scratch = try Scratch()
    let session = HistorySession.make(at: scratch.location)
    let body = window(of: session).body
    #expect(body.emptyPage.title == "Nothing Copied Yet")
    let clip = try #require(try await scratch.record("one"))
    session.model.insertNewest([clip])
    body.draw()
    session.model.remove(clip.id)
    body.draw()
    #expect(body.emptyPage.title == "History Is Empty")
  }

  @Test func `a page in place of the list hides the undo bar and the retention bar`() async throws {
    let scratch = try await Scratch("one", "two")
    let session = HistorySession.make(at: scratch.location)
    let window = window(of: session)
    session.delete(session.ids[0])
    await session.drain()
    let later = { ClockReading.now(wallTime: Format.now + 40 * 86_400_000_000) }
    session.question = try await session.store.findExpired(after: .day, at: later())
    let bar = try #require(widgets(gtk_revealer_get_type(), in: window.body.root.widget).first)
    #expect(gtk_revealer_get_reveal_child(OpaquePointer(bar)) != 0 && window.retentionBar.root.isRevealed)
    // Nothing can be opened there.
    try FileManager.default.removeItem(atPath: scratch.location.folder)
    try Data().write(to: URL(filePath: scratch.location.folder))
    session.reopen(because: .replaced)
    await session.drain()
    #expect(!session.isOpen && session.count == 0)
    #expect(gtk_revealer_get_reveal_child(OpaquePointer(bar)) == 0 && !window.retentionBar.root.isRevealed)
    #expect(window.list?.isUnderUndoBar == false)
    window.destroy()
  }

  @Test func `the reason why a copy was not recorded stays until the next new item`() async throws {
    let scratch = try await Scratch("one")
    let session = HistorySession.make(at: scratch.location)
    let window = window(of: session)
    session.events.notify(.failed(.notRecorded(.unread(.tooLarge(limit: 1)))))
    session.delete(session.ids[0])
    session.undo()
    await session.drain()
    #expect(session.count == 1 && window.notice.root.isRevealed)
    session.model.insertNewest([try #require(try await scratch.record("two"))])
    #expect(!window.notice.root.isRevealed)
    // A new number of unreadable clips replaces the number before.
    for count in [1, 2] { session.events.notify(.failed(.unread(count))) }
    #expect(labelTexts(in: window.notice.root.widget).contains(HistoryFailure.unreadMessage(2)))
    window.destroy()
  }

  @Test func `the indicator and the empty page follow a pause while the history is unavailable`() {
    let session = HistorySession.make(at: HistoryLocation(folder: "/proc/none"))
    let window = window(of: session)
    guard case .unavailable(let error) = session.state else { return #expect(Bool(false)) }
    for isPaused in [true, false] {
      session.services.pause.isPaused = isPaused
      #expect(window.readingIndicator.state == (isPaused ? .paused : .unable(error.message)))
      #expect(window.body.emptyPage.text.contains("To resume, click Paused") == isPaused)
    }
    window.destroy()
  }

  @Test func `the indicator names the obstacle while the history cannot be changed`() async throws {
    let scratch = try await Scratch("one")
    let session = HistorySession.make(at: scratch.location, lock: 20)
    let window = window(of: session)
    try await scratch.whileLocked {
      session.delete(session.ids[0])
      await session.drain()
    }
    #expect(window.readingIndicator.state == .unable(StoreError.locked.reasonForReadOnly))
    session.tryAgain()
    await session.drain()
    #expect(window.readingIndicator.state == .idle)
    window.destroy()
  }

  @Test func `the indicator names the repair of a damaged history until the repair has ended`() async throws {
    let scratch = try await Scratch("one")
    await scratch.close()
    try Data().write(to: URL(filePath: scratch.location.database + "-damaged"))
    let session = HistorySession.make(at: scratch.location)
    let window = window(of: session)
    #expect(session.state == .recovering)
    #expect(window.readingIndicator.state == .unable("Repairing the History…"))
    try await waitUntil("the history repaired") {
      session.tryAgain()
      await session.drain()
      return session.state == .open(obstacle: nil)
    }
    #expect(window.readingIndicator.state == .idle)
    window.destroy()
    await session.close()
  }

  @Test func `a session outlives its windows`() async throws {
    let scratch = try await Scratch("one", "two")
    let session = HistorySession.make(at: scratch.location)
    weak var gone: HistoryList?
    do {
      let window = window(of: session)
      gone = window.list
      window.present(.ambient)
      try await pump("the first frame") { window.isDrawn }
      window.destroy()
    }
    try await pump("the list released") { gone == nil }
    session.delete(session.ids[0])
    await session.drain()
    let next = window(of: session)
    next.present(.ambient)
    try await pump("the next first frame") { next.isDrawn }
    session.undo()
    await session.drain()
    #expect(session.texts == ["two", "one"])
    next.destroy()
    await session.close()
  }

  /// Another program is importing when this one starts.
  @Test func `the focus stays on its row when writing becomes possible again`() async throws {
    let scratch = try await Scratch((0..<40).map { "text \($0)" })
    await scratch.close()
    var pending: HistoryImport? = try HistoryImport(scratch.location, at: Format.now)
    let session = HistorySession.make(at: scratch.location)
    let window = window(of: session)
    window.present(.ambient)
    try await pump("the first frame") { window.isDrawn }
    // The rest of the list is loaded after the first frame.
    try await pump("the whole list") { session.count == 40 }
    #expect(session.obstacle == .locked)
    let (list, id) = (try #require(window.list), session.ids[30])
    list.focus(id)
    func focusedText() -> String? {
      gtk_root_get_focus(gtk_widget_get_root(list.root.widget)).flatMap { labelTexts(in: $0).first }
    }
    try await pump("the focus") { focusedText() == "text 9" }
    for text in ["older", "oldest"] {
      _ = try pending?.add(ClipText(validating: Array(text.utf8)), capturedAt: Format.now - 60_000_000)
    }
    try pending?.finish()
    pending = nil
    try await pump("writing possible") {
      session.tryAgain()
      return session.state == .open(obstacle: nil) && session.count == 42
    }
    #expect(focusedText() == "text 9" && session.ids[30] != id)
    window.destroy()
    await session.close()
  }

  @Test func `the undo bar does not cover the focused row at the end of the list`() async throws {
    let scratch = try await Scratch((0..<40).map { "text \($0)" })
    let style = ProgramStyle()
    defer { withExtendedLifetime(style) {} }
    let session = HistorySession.make(at: scratch.location)
    let window = window(of: session)
    window.present(.ambient)
    try await pump("the whole list") { session.count == 40 }
    let (body, list) = (window.body.root, try #require(window.list))
    list.focus(session.ids[39])
    session.delete(session.ids[39])
    let bar = try #require(widgets(gtk_revealer_get_type(), in: body.widget).first)
    try await pump("the whole bar") { gtk_revealer_get_child_revealed(OpaquePointer(bar)) != 0 }
    let top = try #require(Widget(Owned(borrowing: bar)).bounds(in: body)).y
    try await pump("the row above the bar") {
      guard let row = gtk_root_get_focus(gtk_widget_get_root(bar)), labelTexts(in: row).first == "text 1",
        let place = Widget(Owned(borrowing: row)).bounds(in: body)
      else { return false }
      return place.y > 0 && place.y + place.height <= top
    }
    window.destroy()
  }

  @Test func `the undo bar returns its focus to the list when it closes, and restores all items`()
    async throws
  {
    let scratch = try await Scratch("one", "two", "three")
    let session = HistorySession.make(at: scratch.location)
    let window = window(of: session)
    window.present(.ambient)
    session.delete(session.ids[0])
    await session.drain()
    let bar = try #require(widgets(gtk_revealer_get_type(), in: window.body.root.widget).first)
    let undo = try #require(widgets(gtk_button_get_type(), in: bar).first)
    try await pump("the bar on the screen") { gtk_widget_get_mapped(undo) != 0 }
    gtk_widget_grab_focus(undo)
    func focusIsWithin(_ widget: UnsafeMutablePointer<GtkWidget>) -> Bool {
      gtk_root_get_focus(gtk_widget_get_root(bar)).map { gtk_widget_is_ancestor($0, widget) != 0 } ?? false
    }
    #expect(focusIsWithin(bar))
    session.deletions.forget()
    #expect(try focusIsWithin(#require(window.list).root.widget))
    for id in session.ids { session.delete(id) }
    await session.drain()
    copypasta_emit(undo, "clicked")
    try await pump("the items back") { session.count == 2 }
    #expect(gtk_revealer_get_reveal_child(OpaquePointer(bar)) == 0)
    window.destroy()
  }

  /// Another test may run the main loop at any time, so the focus moves as soon as the undo time begins.
  @Test func `the undo bar stays longer when it gets the focus`() async throws {
    let scratch = try await Scratch("one", "two")
    let session = HistorySession.make(at: scratch.location, undoTime: .milliseconds(1))
    let window = window(of: session)
    window.present(.ambient)
    window.body.showDeletions(1)
    let bar = try #require(widgets(gtk_revealer_get_type(), in: window.body.root.widget).first)
    let undo = try #require(widgets(gtk_button_get_type(), in: bar).first)
    try await pump("the bar on the screen") { gtk_widget_get_mapped(undo) != 0 }
    // This timer is due after the end of the undo time, unless the focus makes that begin again.
    var (later, left): (Timeout?, Int?) = (nil, nil)
    let token = session.events.add {
      guard case .deletionsChanged = $0, later == nil else { return }
      later = Timeout(after: .milliseconds(1)) { left = session.deletions.count }
      gtk_widget_grab_focus(undo)
    }
    session.delete(session.ids[0])
    try await pump("the later timer") { left != nil }
    #expect(left == 1)
    withExtendedLifetime((later, token)) {}
    window.destroy()
  }
}
