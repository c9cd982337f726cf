import CGtk
import ClipHistory
import Foundation
import GtkTestSupport
import TestSupport
import Testing

@testable import CopyPastaApp
@testable import GtkKit

/// The window's handling of events that concern no single row.
@MainActor
@Suite(.serialized) final class HistoryWindowTests {
  private let scratch: Scratch
  private var windows: [HistoryWindow] = []

  init() async throws {
    try await openDisplay()
    scratch = try Scratch()
  }

  isolated deinit { for window in windows { window.destroy() } }

  /// Makes a window that lasts until the end of the test.
  private func window(
    of session: HistorySession, showText: @escaping @MainActor (TextWindow) -> Void = { _ in }
  ) -> HistoryWindow {
    windows.append(HistoryWindow(session.services, session, showText: showText, closed: {}))
    return windows[windows.count - 1]
  }

  /// Makes a session and its window, with a history of these texts, oldest first.
  private func window(of texts: String..., lock: Int32 = 2000) async throws -> (HistorySession, HistoryWindow)
  {
    for text in texts { try await scratch.record(text) }
    let session = HistorySession.make(at: scratch.location, lock: lock)
    return (session, window(of: session))
  }

  @Test func `a full text that was requested before the window was hidden is not shown`() async throws {
    try await scratch.record("private")
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
  }

  /// The user deletes and undoes once a second, and another program copies ten times a second.
  @Test func `copies between the user's actions do not wait for the actions' steps`() async throws {
    for number in 1...200 { try await scratch.record("row \(number)") }
    let clipboard = FakeClipboard()
    let session = HistorySession.make(at: scratch.location, clipboard)
    let window = window(of: session)
    window.present(.ambient)
    session.start()
    clipboard.content = .own
    try await pump("the first frame") { window.isDrawn }
    var most = 0
    for number in 1...25 {
      // The display has no window manager, so the window is not active.
      session.attention = .active
      clipboard.copy(.text("copy \(number)"))
      if number % 10 == 3 { session.delete(session.ids[1]) }
      if number % 10 == 8 { session.undo() }
      // Other suites may keep the main thread busy for longer, so count its turns as well.
      let end = ContinuousClock.now + .milliseconds(100)
      var turns = 0
      try await pump("the next copy") {
        turns += 1
        return turns > 20 && ContinuousClock.now > end
      }
      let written = try scratch.texts().filter { $0.hasPrefix("copy ") }.compactMap { Int($0.dropFirst(5)) }
      most = max(most, number - (written.max() ?? 0))
    }
    #expect(most <= 10, "copies wait for the disk")
  }

  @Test func `the empty page says what is recorded, unless the history was emptied`() async throws {
    let (session, window) = try await window()
    let body = window.body
    #expect(body.emptyPage.title == "No Items Yet" && !body.emptyPage.text.isEmpty)
    for isPaused in [true, false] {
      session.services.pause.isPaused = isPaused
      #expect(body.emptyPage.text.contains("To resume, click Paused") == isPaused)
    }
    let clip = try #require(try await scratch.record("one"))
    session.model.insertNewest([clip])
    body.draw()
    session.model.remove(clip.id)
    body.draw()
    #expect(body.emptyPage.title == "History Is Empty" && body.emptyPage.text.isEmpty)
  }

  @Test func `a page in place of the list removes Undo and the retention question`() async throws {
    let (session, window) = try await window(of: "one", "two")
    session.delete(session.ids[0])
    await session.drain()
    let later = { ClockReading.now(wallTime: Format.now + 40 * 86_400_000_000) }
    session.retention.question = try await session.store.findExpired(after: .day, at: later())
    let messages = window.body.messages
    #expect(messages[.undo]?.words == "Deleted" && messages[.expired] != nil)
    // Nothing can be opened there.
    try FileManager.default.removeItem(atPath: scratch.location.folder)
    try Data().write(to: URL(filePath: scratch.location.folder))
    session.reopen(because: .replaced)
    await session.drain()
    #expect(!session.isOpen && session.count == 0)
    #expect(messages[.undo] == nil && messages[.expired] == nil)
  }

  @Test func `a new item removes the notice of an unwritten copy, not of a refused one`() async throws {
    let (session, window) = try await window(of: "one")
    session.events.notify(.failed(.notRecorded(.unread(.tooLarge(limit: 1 << 20)))))
    session.events.notify(.failed(.notRecorded(.failed(.diskFull))))
    session.delete(session.ids[0])
    session.undo()
    await session.drain()
    let messages = window.body.messages
    #expect(session.count == 1 && messages[.capture] != nil)
    session.model.insertNewest([try #require(try await scratch.record("two"))])
    #expect(messages[.capture] == nil)
    #expect(messages[.refused]?.words == "Skipped a copy: it is larger than 1 MiB.")
  }

  @Test(.tags(.indicatorIsTrue))
  func `a failure does not repeat a reason that is shown and the indicator names`() async throws {
    let (session, window) = try await window(of: "one", lock: 20)
    let messages = window.body.messages
    try await scratch.whileLocked {
      session.delete(session.ids[0])
      await session.drain()
      session.events.notify(.failed(.notRecorded(.waiting(.locked))))
    }
    #expect(messages[.obstacle]?.words == StoreError.locked.reasonForReadOnly)
    #expect(window.readingIndicator.state == .unable(StoreError.locked.reasonForReadOnly))
    #expect(messages[.notice]?.words == HistoryFailure.notDeleted(.locked).message)
    #expect(messages[.capture] == nil)
    session.events.notify(.failed(.notCleared(.locked)))
    #expect(messages[.notice]?.words == "Couldn’t clear the history. " + StoreError.locked.message)
    session.tryAgain()
    await session.drain()
    #expect(messages[.obstacle] == nil && window.readingIndicator.state == .idle)
    session.events.notify(.failed(.notRecorded(.failed(.readOnly))))
    session.events.notify(.failed(.notDeleted(.readOnly)))
    #expect(messages[.notice]?.words == "Couldn’t delete the item.")
  }

  @Test func `the indicator follows a pause while the history is unavailable`() {
    let session = HistorySession.make(at: HistoryLocation(folder: "/proc/none"))
    let window = window(of: session)
    guard case .unavailable(let error) = session.state else { return #expect(Bool(false)) }
    for isPaused in [true, false] {
      session.services.pause.isPaused = isPaused
      #expect(window.readingIndicator.state == (isPaused ? .paused : .unable(error.message)))
    }
  }

  @Test func `the indicator names the repair of a damaged history until the repair has ended`() async throws {
    try await scratch.record("one")
    await scratch.close()
    try Data().write(to: URL(filePath: scratch.location.database + "-damaged"))
    let session = HistorySession.make(at: scratch.location)
    let window = window(of: session)
    #expect(session.state == .recovering)
    #expect(window.readingIndicator.state == .unable("Repairing the History…"))
    try await session.waitUntilOpen()
    #expect(window.readingIndicator.state == .idle)
  }

  @Test func `a deletion can be undone in the next window`() async throws {
    for text in ["one", "two"] { try await scratch.record(text) }
    let session = HistorySession.make(at: scratch.location)
    weak var gone: HistoryList?
    do {
      let window = HistoryWindow(session.services, session, showText: { _ in }, closed: {})
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
  }

  /// Another program is importing when this one starts.
  @Test(.tags(.resumesQuietly)) func `the focus stays on its row when writing becomes possible again`()
    async throws
  {
    for number in 0..<40 { try await scratch.record("text \(number)") }
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
    try await pump("the focus") { focusedText() == "text 9" && list.scroll.offset > 0 }
    for text in ["older", "oldest"] {
      _ = try pending?.add(ClipText(validating: Array(text.utf8)), capturedAt: Format.now - 60_000_000)
    }
    try pending?.finish()
    pending = nil
    try await pump("writing possible") {
      session.tryAgain()
      return session.state == .open(obstacle: nil) && session.count == 42
    }
    #expect(session.ids[30] != id)
    // Contains marks while another suite shows a right-to-left interface.
    #expect(focusedText()?.contains("text 9") == true, "\(focusedText() ?? "nothing")")
  }

  private static func card(of window: HistoryWindow) throws -> UnsafeMutablePointer<GtkWidget> {
    try #require(widgets(in: window.body.root.widget).first { gtk_widget_has_css_class($0, "messages") != 0 })
  }

  /// Several messages at once are much higher than a row.
  @Test(arguments: [1, 3])
  func `messages do not cover the focused row at the end of the list`(count: Int) async throws {
    for number in 0..<40 { try await scratch.record("text \(number)") }
    let session = HistorySession.make(at: scratch.location)
    let window = window(of: session)
    window.present(.ambient)
    try await pump("the whole list") { session.count == 40 }
    let (body, list) = (window.body.root, try #require(window.list))
    list.focus(session.ids[39])
    session.delete(session.ids[39])
    if count > 1 {
      window.showNotice(String(repeating: "A long notice. ", count: 12))
      session.events.notify(.failed(.unread))
    }
    try await pump("the messages") { window.body.messages[.undo] != nil }
    let card = try Self.card(of: window)
    try await pump("the row above the messages") {
      guard let row = gtk_root_get_focus(gtk_widget_get_root(card)), labelTexts(in: row).first == "text 1",
        let place = Widget(Owned(borrowing: row)).bounds(in: body),
        let top = Widget(Owned(borrowing: card)).bounds(in: body)?.y
      else { return false }
      return top > 0 && place.y >= 0 && place.y + place.height <= top
    }
  }

  @Test func `Undo restores all items that the message counts, and focuses the list`() async throws {
    let (session, window) = try await window(of: "one", "two", "three")
    window.present(.ambient)
    session.delete(session.ids[0])
    await session.drain()
    let card = try Self.card(of: window)
    func undo() throws -> UnsafeMutablePointer<GtkWidget> {
      try #require(widgets(gtk_button_get_type(), in: card).first)
    }
    func focusIsWithin(_ widget: UnsafeMutablePointer<GtkWidget>) -> Bool {
      gtk_root_get_focus(gtk_widget_get_root(card)).map { gtk_widget_is_ancestor($0, widget) != 0 } ?? false
    }
    gtk_widget_grab_focus(try undo())
    #expect(focusIsWithin(card))
    session.deletions.forget()
    #expect(try focusIsWithin(#require(window.list).root.widget))
    for id in session.ids { session.delete(id) }
    await session.drain()
    #expect(window.body.messages[.undo]?.words == "2 items deleted")
    copypasta_emit(try undo(), "clicked")
    try await pump("the items back") { session.count == 2 }
    #expect(window.body.messages[.undo] == nil)
    #expect(try focusIsWithin(#require(window.list).root.widget))
  }

  @Test func `deletions can be undone for longer when Undo gets the focus`() async throws {
    for text in ["one", "two"] { try await scratch.record(text) }
    let session = HistorySession.make(at: scratch.location, undoTime: .milliseconds(1))
    let window = window(of: session)
    window.present(.ambient)
    // The undo time begins after this, because another test may run the main loop at any time.
    session.deletions.pending += 1
    session.delete(session.ids[0])
    await session.drain()
    session.deletions.pending -= 1
    // This timer is due after the end of the undo time, unless the focus makes that begin again.
    var left: Int?
    let later = Timeout(after: .milliseconds(1)) { left = session.deletions.count }
    window.body.messages.focus(.undo)
    try await pump("the later timer") { left != nil }
    #expect(left == 1)
    withExtendedLifetime(later) {}
  }
}
