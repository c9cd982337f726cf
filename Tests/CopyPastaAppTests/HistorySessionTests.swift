import CSQLite
import ClipboardCore
import GtkKit
import GtkTestSupport
import TestSupport
import Testing

@testable import ClipHistory
@testable import CopyPastaApp

/// Everything a user can do with the history, on a private store and without a display.
@MainActor
@Suite(.serialized) struct HistorySessionTests {
  let scratch: Scratch
  let clipboard = FakeClipboard()
  let view = RecordingView()
  let controller: HistorySession
  /// The ids of three clips, newest first.
  let ids: [Clip.ID]
  let initial = ["three", "two", "one"]

  init() async throws {
    scratch = try Scratch()
    for text in initial.reversed() { try await scratch.record(text) }
    controller = try HistorySession(
      scratch.store, scratch.history.reader, clipboard, now: { Format.now }, firstPageSize: 30,
      undoTime: .seconds(3600), delegate: view)
    controller.view = view
    ids = controller.ids
  }

  /// Expects these texts in the list and on disk, newest first.
  func expect(
    _ texts: [String], of other: HistorySession? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect((other ?? controller).texts == texts, sourceLocation: sourceLocation)
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
    case .storeClosed: await scratch.store.close()
    case .clipboardUnavailable: clipboard.failure = .unavailable
    case .clipboardOvertaken: clipboard.failure = .ownershipLost
    }
    switch action {
    case .copy: controller.copy(ids[1])
    case .cut: controller.copyAndDelete(ids[1])
    case .delete: controller.delete(ids[1])
    case .show: controller.show(ids[1])
    }
    await controller.drain()
    #expect(view.failures == [failure])
    try expect(fault == .goneFromStore ? ["three", "one"] : initial)
    #expect(clipboard.offered.isEmpty && view.shown.isEmpty)
    #expect(view.events.isEmpty && view.flashes.isEmpty && view.deletionCounts.isEmpty)
  }

  @Test
  func `while another program locks the history, no item is lost and each refused change shows an error`()
    async throws
  {
    let controller = try controller(waiting: 20)
    try await scratch.whileLocked {
      // Copying succeeds without a message.
      controller.copy(ids[1])
      controller.delete(ids[1])
      controller.clear()
      await controller.drain()
    }
    #expect(clipboard.offered == ["two"] && view.events == [.copied])
    #expect(view.failures == [.notDeleted(.locked), .notCleared(.locked)])
    try expect(initial, of: controller)
    controller.delete(ids[1])
    await controller.drain()
    try await scratch.whileLocked {
      controller.undo()
      await controller.drain()
    }
    #expect(view.failures.last == .notRestored(.locked))
    controller.undo()
    await controller.drain()
    try expect(initial, of: controller)
    #expect(view.deletionCounts == [1, 0, 1, 0])
  }

  // MARK: - Copying and showing

  @Test func `rows are copied in click order, and each copy is confirmed once its text is offered`() async {
    var told: [String?] = []
    view.onCopied = { [clipboard] in told.append(clipboard.offered.last) }
    let positions = (0..<10).map { $0 * 2 % 3 }
    for position in positions { controller.copy(ids[position]) }
    await controller.drain()
    #expect(clipboard.offered == positions.map { initial[$0] })
    #expect(told == clipboard.offered)
    #expect(view.flashes == positions.map { ids[$0] })
    #expect(view.events == Array(repeating: .copied, count: 10))
  }

  @Test func `neither a copied row nor a copied part of a text is captured again`() async throws {
    controller.copy(ids[2])
    await controller.drain()
    #expect(try await scratch.record("one") == nil)
    controller.copy(part: Array("tw".utf8))
    await controller.drain()
    #expect(clipboard.offered == ["one", "tw"])
    #expect(try await scratch.record("tw") == nil)
    clipboard.failure = .unavailable
    controller.copy(part: Array("o".utf8))
    await controller.drain()
    #expect(view.failures == [.clipboardUnavailable])
    try expect(initial)
  }

  @Test func `the list does not announce a copy that another window announces`() async {
    var told = 0
    controller.copy(ids[2]) { told += 1 }
    controller.copy(part: Array("tw".utf8)) { told += 1 }
    await controller.drain()
    #expect(told == 2 && view.events.isEmpty && view.flashes == [ids[2]])
  }

  @Test func `a dragged row provides its whole text, or an error if the clip is gone`() async throws {
    #expect(try await controller.text(of: ids[1]).bytes == Array("two".utf8))
    try await scratch.store.delete(ids[1])
    await #expect(throws: CancellationError.self) { try await controller.text(of: ids[1]) }
    #expect(view.failures == [.gone])
  }

  @Test func `showing a text leaves the clipboard unchanged`() async {
    controller.show(ids[1])
    await controller.drain()
    #expect(view.shown.map(\.id) == [ids[1]] && view.shown.first?.text.text == "two")
    #expect(clipboard.offered.isEmpty && view.failures.isEmpty)
  }

  // MARK: - Deleting, undoing, clearing

  @Test func `deleted rows leave the list immediately, and undo restores them in place, last deleted first`()
    async throws
  {
    let clips = (0..<3).map(controller.model.clip(at:))
    for id in [ids[1], ids[0], ids[2]] { controller.delete(id) }
    #expect(controller.ids.isEmpty)
    controller.undo()
    await controller.drain()
    try expect(["one"])
    controller.undo()
    controller.undo()
    // All deletions have been undone, so another undo has no effect.
    controller.undo()
    await controller.drain()
    try expect(initial)
    // The clips have their old ids and times.
    #expect(try scratch.history.reader.newestPage(limit: 3) == clips)
    #expect((0..<3).map(controller.model.clip(at:)) == clips)
    #expect(view.failures.isEmpty)
    #expect(view.focuses == [ids[2], ids[0], ids[1]])
    #expect(view.events == Array(repeating: .deleted, count: 3) + Array(repeating: .restored, count: 3))
    #expect(view.deletionCounts == [1, 2, 3, 2, 1, 0])
  }

  @Test func `cutting a row copies and deletes the row, and can be undone`() async throws {
    controller.copyAndDelete(ids[1])
    #expect(controller.texts == ["three", "one"])
    await controller.drain()
    #expect(clipboard.offered == ["two"])
    try expect(["three", "one"])
    #expect(view.events == [.copiedAndDeleted])
    #expect(view.flashes.isEmpty)
    controller.undo()
    await controller.drain()
    try expect(initial)
  }

  @Test func `clearing the history empties the list and the store, and cannot be undone`() async throws {
    controller.delete(ids[1])
    controller.clear()
    controller.undo()
    await controller.drain()
    try expect([])
    #expect(view.deletionCounts.last == 0)
  }

  // MARK: - File errors and lifetime

  @Test func `a damaged or replaced history is reopened, and other failures show an error`() {
    for error in [StoreError.damaged, .replaced, .locked, .cannotBeRecovered] {
      view.show(error, as: .notRead(error))
    }
    #expect(view.reasonsToReopen == [.damaged, .replaced])
    #expect(view.failures == [.notRead(.locked), .notRead(.cannotBeRecovered)])
  }

  @Test func `older clips are appended to the first page, and a failed read shows an error`() async throws {
    let controller = try controller(firstPageSize: 1)
    #expect(controller.ids == [ids[0]])
    await controller.loadRest()
    #expect(controller.ids == ids)
    let other = try self.controller(firstPageSize: 1)
    await scratch.store.close()
    await other.loadRest()
    #expect(other.ids == [ids[0]])
    #expect(view.failures == [.notRead(.failed(code: SQLITE_MISUSE))])
  }

  @Test func `closing the history waits for pending actions`() async throws {
    controller.delete(ids[1])
    controller.copy(ids[0])
    await controller.close()
    #expect(clipboard.offered == ["three"])
    try expect(["three", "one"])
    #expect(view.failures.isEmpty)
  }

  @Test func `a closed controller and its view are released`() async throws {
    weak var gone: HistorySession?
    weak var goneView: RecordingView?
    do {
      let view = RecordingView()
      let other = try Scratch()
      let controller = try HistorySession(
        other.store, other.history.reader, clipboard, now: { 0 }, firstPageSize: 30, undoTime: .seconds(3600),
        delegate: view)
      controller.view = view
      controller.isReading = true
      controller.undo()
      await controller.close()
      (gone, goneView) = (controller, view)
    }
    #expect(try await eventually { gone == nil && goneView == nil })
  }

  /// Creates another controller for the same history.
  ///
  /// - Parameter time: how long its own store waits for another program's lock, in milliseconds; nil to share the
  ///   store of `scratch`.
  func controller(waiting time: Int32? = nil, firstPageSize: Int = 30) throws -> HistorySession {
    let store = try time.map {
      try HistoryStore(
        location: scratch.location, digest: { key, text in Checksum.hmacSHA256(key: key, of: text.bytes) },
        timeouts: .init(lock: $0))
    }
    let controller = try HistorySession(
      store ?? scratch.store, scratch.history.reader, clipboard, now: { Format.now },
      firstPageSize: firstPageSize, delegate: view)
    controller.view = view
    return controller
  }

  func paste(_ content: ClipboardContent) async {
    clipboard.offers.contentOnPurpose = content
    controller.paste()
    await controller.drain()
  }
}

extension Scratch {
  /// Runs `body` while another program locks the history's file.
  func whileLocked(_ body: () async throws -> Void) async throws {
    var other: OpaquePointer?
    #expect(sqlite3_open(location.database, &other) == SQLITE_OK)
    defer { sqlite3_close(other) }
    #expect(sqlite3_exec(other, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
    try await body()
    #expect(sqlite3_exec(other, "COMMIT", nil, nil, nil) == SQLITE_OK)
  }
}
