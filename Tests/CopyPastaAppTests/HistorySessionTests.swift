import CSQLite
import ClipboardCore
import Glibc
import GtkKit
import TestSupport
import Testing

@testable import ClipHistory
@testable import CopyPastaApp

/// Everything a user can do with the history, on a private store and without a display.
@MainActor
@Suite(.serialized, .tags(.recordsEveryCopy)) struct HistorySessionTests {
  let scratch: Scratch
  let clipboard = FakeClipboard()
  let session: HistorySession
  let log: SessionLog
  /// The ids of three clips, newest first.
  let ids: [Clip.ID]
  let initial = ["three", "two", "one"]

  init() async throws {
    scratch = try await Scratch(initial.reversed())
    session = .make(at: scratch.location, clipboard)
    log = SessionLog(of: session)
    ids = session.ids
  }

  /// Expects these texts in the list and on disk, newest first.
  func expect(
    _ texts: [String], of other: HistorySession? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect((other ?? session).texts == texts, sourceLocation: sourceLocation)
    #expect(try scratch.texts() == texts, sourceLocation: sourceLocation)
  }

  // MARK: - Failures

  /// The user's action on a row.
  enum Action: Sendable {
    case copy, cut, delete, show
  }

  /// The cause of the failure.
  enum Fault: Sendable {
    case goneFromStore, storeClosed, clipboardUnavailable, clipboardOvertaken
  }

  @Test(arguments: [
    (Action.copy, Fault.goneFromStore, HistoryFailure.gone), (.cut, .goneFromStore, .gone),
    (.show, .goneFromStore, .gone),
    (.copy, .storeClosed, .notRead(.failed(code: SQLITE_MISUSE))),
    (.cut, .storeClosed, .notRead(.failed(code: SQLITE_MISUSE))),
    (.show, .storeClosed, .notRead(.failed(code: SQLITE_MISUSE))),
    (.delete, .storeClosed, .notDeleted(.failed(code: SQLITE_MISUSE))),
    (.copy, .clipboardUnavailable, .clipboardUnavailable),
    (.cut, .clipboardUnavailable, .clipboardUnavailable),
    (.copy, .clipboardOvertaken, .clipboardTaken), (.cut, .clipboardOvertaken, .clipboardTaken),
  ])
  func `a failed action shows an error and keeps its row, unless another program deleted the row`(
    action: Action, fault: Fault, failure: HistoryFailure
  ) async throws {
    switch fault {
    case .goneFromStore: try await scratch.store.delete(ids[1])
    case .storeClosed: await session.store.close()
    case .clipboardUnavailable: clipboard.failure = .unavailable
    case .clipboardOvertaken: clipboard.failure = .ownershipLost
    }
    switch action {
    case .copy: session.copy(ids[1])
    case .cut: session.copyAndDelete(ids[1])
    case .delete: session.delete(ids[1])
    case .show: session.show(ids[1])
    }
    await session.drain()
    #expect(log.failures == [failure])
    try expect(fault == .goneFromStore ? ["three", "one"] : initial)
    #expect(clipboard.offered.isEmpty && log.shown.isEmpty && log.announced.isEmpty)
    #expect(session.deletions.count == 0)
  }

  // MARK: - Copying and showing

  @Test func `rows are copied in click order, and each copy is confirmed once its text is offered`() async {
    var told: [String?] = []
    log.onEvent = { [clipboard] in if case .done(.copied, _, _) = $0 { told.append(clipboard.offered.last) } }
    let positions = (0..<10).map { $0 * 2 % 3 }
    for position in positions { session.copy(ids[position]) }
    await session.drain()
    #expect(clipboard.offered == positions.map { initial[$0] })
    #expect(told == clipboard.offered)
    #expect(log.ids(of: .copied) == positions.map { ids[$0] })
    #expect(log.announced == Array(repeating: .copied, count: 10))
  }

  @Test func `neither a copied row nor a copied part of a text is captured again`() async throws {
    session.copy(ids[2])
    await session.drain()
    #expect(try await scratch.record("one") == nil)
    session.copy(part: Array("tw".utf8))
    await session.drain()
    #expect(clipboard.offered == ["one", "tw"])
    #expect(try await scratch.record("tw") == nil)
    clipboard.failure = .unavailable
    session.copy(part: Array("o".utf8))
    await session.drain()
    #expect(log.failures == [.clipboardUnavailable])
    try expect(initial)
  }

  @Test func `a copy in the full text window is announced there, and not by the list`() async throws {
    var told = 0
    session.copy(ids[2], in: session.fileNumber) { told += 1 }
    session.copy(part: Array("tw".utf8)) { told += 1 }
    await session.drain()
    #expect(told == 2 && log.announced.isEmpty && log.ids(of: .copied) == [ids[2]])
  }

  // MARK: - Deleting, undoing, clearing

  @Test func `deleted rows leave the list at once, and undo restores the last one first`() async throws {
    let clips = (0..<3).map(session.model.clip(at:))
    for id in [ids[1], ids[0], ids[2]] { session.delete(id) }
    #expect(session.ids.isEmpty)
    session.undo()
    await session.drain()
    try expect(["one"])
    session.undo()
    session.undo()
    // All deletions have been undone, so another undo only shows a notice.
    session.undo()
    await session.drain()
    try expect(initial)
    // The clips have their old ids and times.
    #expect(try scratch.reader.newestPage(limit: 3) == clips)
    #expect((0..<3).map(session.model.clip(at:)) == clips)
    #expect(log.failures == [.nothingToUndo])
    #expect(log.ids(of: .restored) == [ids[2], ids[0], ids[1]])
    #expect(log.announced == Array(repeating: .deleted, count: 3) + Array(repeating: .restored, count: 3))
    #expect(session.deletions.count == 0)
  }

  @Test func `cutting a row copies and deletes the row, and can be undone`() async throws {
    session.copyAndDelete(ids[1])
    #expect(session.texts == ["three", "one"])
    await session.drain()
    #expect(clipboard.offered == ["two"])
    try expect(["three", "one"])
    #expect(log.announced == [.copiedAndDeleted])
    session.undo()
    await session.drain()
    try expect(initial)
  }

  @Test func `clearing the history empties the list and the store, and cannot be undone`() async throws {
    session.delete(ids[1])
    session.clear()
    session.undo()
    await session.drain()
    try expect([])
    #expect(session.deletions.count == 0 && !session.canClear)
  }

  @Test func `the damaged files that recoveries have kept can be cleared although the list is empty`() async {
    session.clear()
    await session.drain()
    mknod(scratch.location.folder + "/history-damaged-2026-11-21-190626.sqlite3", S_IFREG | 0o600, 0)
    #expect(session.canClear)
    session.clear()
    await session.drain()
    #expect(!session.canClear)
  }

  // MARK: - File errors and lifetime

  @Test func `closing the history waits for pending actions`() async throws {
    session.delete(ids[1])
    session.copy(ids[0])
    await session.close()
    #expect(clipboard.offered == ["three"])
    try expect(["three", "one"])
    #expect(log.failures.isEmpty)
  }

  @Test func `a command that was copied while the history was closed is not recorded later`() async throws {
    // The suite's session would note the copies on its own clipboard.
    let clipboard = FakeClipboard(.own)
    let session = HistorySession.make(at: scratch.location, clipboard, firstPageSize: nil)
    #expect(await session.copy(command: "copypasta --toggle") == nil)
    await session.close()
    #expect(try await scratch.record("copypasta --toggle") == nil)
  }

  @Test func `a closed session is released`() async throws {
    weak var gone: HistorySession?
    do {
      let other = HistorySession.make(at: scratch.location, clipboard)
      other.start()
      other.attention = .active
      other.undo()
      await other.close()
      gone = other
    }
    #expect(try await eventually { gone == nil })
  }

  func paste(_ content: ClipboardContent) async {
    clipboard.resultOnPurpose = .success(content)
    session.paste()
    await session.drain()
  }
}
