import CSQLite
import ClipboardCore
import GtkKit
import TestSupport
import Testing

@testable import ClipHistory
@testable import CopyPastaApp

/// What can be done with the history, on a store of its own and without a display.
@MainActor
@Suite(.serialized) struct HistoryControllerTests {
  private let scratch: Scratch
  private let clipboard = FakeClipboard()
  private let view = RecordingView()
  private let controller: HistoryController
  /// Of three clips, newest first.
  private let ids: [Clip.ID]

  init() async throws {
    scratch = try Scratch()
    for text in ["one", "two", "three"] { try await scratch.record(text) }
    controller = try HistoryController(
      scratch.store, scratch.history.reader, clipboard, now: { Format.now }, firstPageSize: 30,
      undoTime: .seconds(3600), host: view)
    controller.view = view
    ids = controller.ids
  }

  /// The texts in the list, newest first.
  private var texts: [String] { controller.texts }

  private func position(of id: Clip.ID) -> Int? { controller.model.position(of: id) }

  // MARK: - Copying

  @Test func `copies come in the order of their clicks`() async {
    for position in [0, 2, 1, 0] { controller.copy(ids[position]) }
    await controller.drain()
    #expect(clipboard.offered == ["three", "one", "two", "three"])
    #expect(view.flashes == [ids[0], ids[2], ids[1], ids[0]])
    #expect(view.events == Array(repeating: .copied, count: 4))
  }

  @Test func `ten copies in a row are ten, and each is told of once it is offered`() async {
    var told: [String?] = []
    view.onCopied = { [clipboard] in told.append(clipboard.offered.last) }
    for step in 0..<10 { controller.copy(ids[step % 3]) }
    await controller.drain()
    #expect(clipboard.offered.count == 10)
    #expect(told == clipboard.offered)
  }

  @Test func `a text of many bytes is copied whole`() async throws {
    let text = String(repeating: "ä\n", count: 1 << 20)
    let clip = try #require(try await scratch.record(text))
    controller.copy(clip.id)
    await controller.drain()
    #expect(clipboard.offered.map(\.utf8.count) == [text.utf8.count])
    #expect(clipboard.offered == [text])
  }

  @Test func `a copy is not captured when it comes back`() async throws {
    controller.copy(ids[2])
    await controller.drain()
    #expect(try await scratch.record("one") == nil)
  }

  @Test func `a row that another program deleted says so and goes`() async throws {
    try await scratch.store.delete(ids[1])
    controller.copy(ids[1])
    await controller.drain()
    #expect(clipboard.offered.isEmpty)
    #expect(position(of: ids[1]) == nil)
    #expect(view.failures == [.gone])
    #expect(view.events.isEmpty && view.flashes.isEmpty)
  }

  @Test func `a text that the desktop does not take is not copied and its row not marked`() async {
    clipboard.failure = .unavailable
    controller.copy(ids[1])
    await controller.drain()
    #expect(view.failures == [.clipboardUnavailable])
    #expect(view.events.isEmpty && view.flashes.isEmpty)
    #expect(position(of: ids[1]) == 1)
  }

  @Test func `a text that cannot be read is not copied, with a word`() async {
    await scratch.store.close()
    controller.copy(ids[1])
    await controller.drain()
    #expect(clipboard.offered.isEmpty)
    #expect(view.failures == [.notRead(.failed(code: SQLITE_MISUSE))])
    #expect(position(of: ids[1]) == 1)
  }

  @Test func `a copy out of a history that cannot be written is a copy, without another word`() async throws {
    let controller = try controller(waiting: 20)
    try await scratch.whileLocked {
      controller.copy(ids[1])
      await controller.drain()
    }
    #expect(clipboard.offered == ["two"])
    #expect(view.events == [.copied])
    #expect(view.failures.isEmpty)
  }

  @Test func `what is dragged is the whole text, or a word if it has gone`() async throws {
    #expect(try await controller.text(of: ids[1]).bytes == Array("two".utf8))
    try await scratch.store.delete(ids[1])
    await #expect(throws: CancellationError.self) { try await controller.text(of: ids[1]) }
    #expect(view.failures == [.gone])
  }

  // MARK: - Showing

  @Test func `a text is shown, and the clipboard left alone`() async {
    controller.show(ids[1])
    await controller.drain()
    #expect(view.shown.map(\.id) == [ids[1]] && view.shown.first?.text.text == "two")
    #expect(clipboard.offered.isEmpty && view.failures.isEmpty)
  }

  @Test func `a text that has gone is not shown, with a word, and its row goes`() async throws {
    try await scratch.store.delete(ids[1])
    controller.show(ids[1])
    await controller.drain()
    #expect(view.shown.isEmpty && view.failures == [.gone])
    #expect(position(of: ids[1]) == nil)
  }

  @Test func `a text that cannot be read is not shown, with a word`() async {
    await scratch.store.close()
    controller.show(ids[1])
    await controller.drain()
    #expect(view.shown.isEmpty && view.failures.count == 1)
    #expect(position(of: ids[1]) == 1)
  }

  @Test func `a part of a text is copied, and not recorded when another program hands it on`() async throws {
    controller.copy(part: "tw")
    await controller.drain()
    #expect(clipboard.offered == ["tw"] && view.events == [.copied])
    #expect(try await scratch.record("tw") == nil)
    clipboard.failure = .unavailable
    controller.copy(part: "o")
    await controller.drain()
    #expect(view.failures == [.clipboardUnavailable] && view.events == [.copied])
    #expect(texts == ["three", "two", "one"])
  }

  // MARK: - Deleting

  @Test func `a row is off the list at once and out of the store`() async throws {
    controller.delete(ids[1])
    #expect(texts.count == 2)
    await controller.drain()
    #expect(try scratch.texts() == ["three", "one"])
    #expect(view.events == [.deleted])
    #expect(view.deletionCounts == [1])
  }

  @Test func `a row that could not be deleted comes back to its place with a word`() async {
    await scratch.store.close()
    controller.delete(ids[1])
    #expect(texts.count == 2)
    await controller.drain()
    #expect(position(of: ids[1]) == 1)
    #expect(view.failures == [.notDeleted(.failed(code: SQLITE_MISUSE))])
    #expect(view.events.isEmpty && view.deletionCounts.isEmpty)
  }

  @Test func `a row that is not in the list is not deleted`() async throws {
    controller.delete(4711)
    controller.copyAndDelete(4711)
    await controller.drain()
    #expect(try scratch.texts() == ["three", "two", "one"])
    #expect(clipboard.offered.isEmpty && view.events.isEmpty && view.failures.isEmpty)
  }

  @Test func `while another program holds the file nothing is lost, and each refusal is said`() async throws {
    let controller = try controller(waiting: 20)
    try await scratch.whileLocked {
      controller.delete(ids[1])
      controller.clear()
      await controller.drain()
    }
    #expect(view.failures == [.notDeleted(.locked), .notCleared(.locked)])
    #expect(controller.texts == ["three", "two", "one"])
    #expect(try scratch.texts() == controller.texts)
    controller.delete(ids[1])
    await controller.drain()
    try await scratch.whileLocked {
      controller.undo()
      await controller.drain()
    }
    #expect(view.failures.last == .notRestored(.locked))
    controller.undo()
    await controller.drain()
    #expect(try scratch.texts() == ["three", "two", "one"])
  }

  @Test func `cutting copies, then deletes, and can be undone`() async throws {
    controller.copyAndDelete(ids[1])
    #expect(position(of: ids[1]) == nil)
    await controller.drain()
    #expect(clipboard.offered == ["two"])
    #expect(try scratch.texts() == ["three", "one"])
    #expect(view.events == [.copiedAndDeleted])
    #expect(view.flashes.isEmpty)
    controller.undo()
    await controller.drain()
    #expect(position(of: ids[1]) == 1)
    #expect(try scratch.texts() == ["three", "two", "one"])
  }

  @Test func `a row that could not be copied is not cut`() async throws {
    clipboard.failure = .unavailable
    controller.copyAndDelete(ids[1])
    await controller.drain()
    #expect(position(of: ids[1]) == 1)
    #expect(try scratch.texts() == ["three", "two", "one"])
    #expect(view.failures == [.clipboardUnavailable])
  }

  @Test func `a row is not cut if another program copies at that moment, with a word`() async throws {
    clipboard.failure = .overtaken
    controller.copy(ids[1])
    controller.copyAndDelete(ids[1])
    await controller.drain()
    #expect(view.flashes.isEmpty && view.events.isEmpty)
    #expect(position(of: ids[1]) == 1)
    #expect(try scratch.texts() == ["three", "two", "one"])
    #expect(view.failures == [.clipboardTaken, .clipboardTaken])
  }

  @Test func `a row that has gone is not cut, with a word`() async throws {
    try await scratch.store.delete(ids[1])
    controller.copyAndDelete(ids[1])
    await controller.drain()
    #expect(position(of: ids[1]) == nil)
    #expect(view.failures == [.gone])
    #expect(view.deletionCounts.isEmpty)
  }

  // MARK: - Undoing

  @Test func `several deletions are undone, the newest first, each at its place`() async throws {
    for id in [ids[1], ids[0], ids[2]] { controller.delete(id) }
    controller.undo()
    await controller.drain()
    #expect(controller.ids == [ids[2]])
    controller.undo()
    controller.undo()
    // There is nothing more to undo.
    controller.undo()
    await controller.drain()
    #expect(controller.ids == ids)
    #expect(try scratch.texts() == ["three", "two", "one"])
    #expect(view.failures.isEmpty)
    #expect(view.focuses == [ids[2], ids[0], ids[1]])
    #expect(view.events == Array(repeating: .deleted, count: 3) + Array(repeating: .restored, count: 3))
    #expect(view.deletionCounts == [1, 2, 3, 2, 1, 0])
  }

  @Test func `an undone row has its old time`() async throws {
    let clip = controller.model.clip(at: 1)
    controller.delete(clip.id)
    controller.undo()
    await controller.drain()
    #expect(try scratch.history.reader.newestPage(limit: 3)[1] == clip)
    #expect(controller.model.clip(at: 1) == clip)
  }

  @Test func `an undo that fails says so and can be tried again`() async throws {
    controller.delete(ids[1])
    await controller.drain()
    await scratch.store.close()
    controller.undo()
    await controller.drain()
    #expect(texts.count == 2)
    #expect(view.deletionCounts == [1, 0, 1])
    #expect(view.failures == [.notRestored(.failed(code: SQLITE_MISUSE))])
  }

  @Test func `a deletion that was let go is not undone`() async throws {
    controller.delete(ids[1])
    await controller.drain()
    controller.deletions.forget()
    controller.undo()
    await controller.drain()
    #expect(try scratch.texts() == ["three", "one"])
    #expect(view.deletionCounts == [1, 0])
  }

  // MARK: - Clearing

  @Test func `clearing empties list and store and leaves nothing to undo`() async throws {
    controller.delete(ids[1])
    controller.clear()
    controller.undo()
    await controller.drain()
    #expect(texts.isEmpty)
    #expect(try scratch.texts() == [])
    #expect(view.deletionCounts.last == 0)
  }

  @Test func `what comes after a clearing is shown`() async throws {
    controller.clear()
    clipboard.offers.contentOnPurpose = .text(Array("four".utf8))
    controller.paste()
    await controller.drain()
    #expect(texts == ["four"])
    #expect(try scratch.texts() == ["four"])
  }

  @Test func `a clearing that fails leaves the list, with a word`() async throws {
    await scratch.store.close()
    controller.clear()
    await controller.drain()
    #expect(texts.count == 3)
    #expect(view.failures == [.notCleared(.failed(code: SQLITE_MISUSE))])
  }

  // MARK: - Pasting and dropping

  @Test func `a text is recorded on purpose also if it is the last captured one`() async throws {
    try await scratch.store.delete(ids[0])
    controller.model.remove(ids[0])
    await paste(.text(Array("three".utf8)))
    #expect(try scratch.texts() == ["three", "two", "one"])
    #expect(texts == ["three", "two", "one"])
    #expect(view.failures.isEmpty)
    #expect(view.focuses == [nil])
  }

  @Test func `the newest row is not doubled, and gets the focus`() async throws {
    await paste(.text(Array("three".utf8)))
    await paste(.text(Array("three".utf8)))
    #expect(try scratch.texts() == ["three", "two", "one"])
    #expect(texts == ["three", "two", "one"])
    #expect(view.failures.isEmpty)
    #expect(view.focuses == [nil, nil])
  }

  @Test func `a text further down comes to the top`() async throws {
    await paste(.text(Array("one".utf8)))
    #expect(try scratch.texts() == ["one", "three", "two", "one"])
    #expect(texts == ["one", "three", "two", "one"])
  }

  @Test func `what was copied out of the history comes back though its row is deleted`() async throws {
    try await clipboard.offer(ClipText(validating: Array("cut".utf8)))
    await paste(.own)
    #expect(try scratch.texts() == ["cut", "three", "two", "one"])
  }

  @Test(arguments: [
    ClipboardContent.noText, .secret, .text([]), .text([0xFF]), .text([0x61, 0x00, 0x62]),
  ])
  func `what capture refuses is refused with a word`(content: ClipboardContent) async throws {
    await paste(content)
    #expect(try scratch.texts() == ["three", "two", "one"])
    #expect(view.failures.count == 1)
    #expect(view.failures.allSatisfy { $0.message != nil })
    #expect(view.focuses.isEmpty)
  }

  @Test(arguments: [
    TransferError.timedOut, .ownerGone, .refused, .tooLarge(limit: 1 << 20), .unavailable,
  ])
  func `what cannot be read is not recorded, with a word`(error: TransferError) async throws {
    clipboard.offers.failuresOnPurpose = [error]
    await paste(.text(Array("never".utf8)))
    let drop = FakeDrop(.failure(error))
    controller.record(drop)
    await controller.drain()
    #expect(try scratch.texts() == ["three", "two", "one"])
    #expect(view.failures == Array(repeating: .notRecorded(.unread(error)), count: 2))
    #expect(drop.answers == [false])
  }

  @Test func `a copy at the very moment of a paste counts as what was meant`() async throws {
    clipboard.offers.failuresOnPurpose = [.cancelled, .cancelled]
    await paste(.text(Array("meant".utf8)))
    #expect(try scratch.texts().first == "meant")
    #expect(view.failures.isEmpty)
  }

  @Test func `a dropped text is recorded, and what is on the clipboard not again`() async throws {
    let drop = FakeDrop(.success(Array("dropped".utf8)))
    controller.record(drop)
    await controller.drain()
    #expect(drop.answers == [true])
    #expect(try scratch.texts() == ["dropped", "three", "two", "one"])
    #expect(texts == ["dropped", "three", "two", "one"])
    #expect(try await scratch.record("three") == nil)
  }

  @Test func `the limit of size holds for what is dropped`() async throws {
    controller.setSizeLimit(5)
    let drop = FakeDrop(.success(Array("123456".utf8)))
    controller.record(drop)
    await controller.drain()
    #expect(view.failures == [.notRecorded(.unread(.tooLarge(limit: 5)))])
    #expect(try scratch.texts() == ["three", "two", "one"])
  }

  // MARK: - What overlaps

  @Test func `what is asked for at once is done in its order`() async throws {
    controller.copy(ids[1])
    controller.delete(ids[1])
    controller.copy(ids[1])
    controller.undo()
    controller.copy(ids[1])
    await controller.drain()
    #expect(clipboard.offered == ["two", "two"])
    #expect(view.failures == [.gone])
    #expect(try scratch.texts() == ["three", "two", "one"])
    #expect(texts == ["three", "two", "one"])
  }

  @Test func `what was cut just before is what is pasted`() async throws {
    clipboard.offers.contentOnPurpose = .own
    controller.copyAndDelete(ids[2])
    controller.paste()
    await controller.drain()
    #expect(try scratch.texts() == ["one", "three", "two"])
    #expect(texts == ["one", "three", "two"])
  }

  /// Its owner may take as long as the limits allow.
  @Test func `a paste that waits for its text keeps nothing else waiting`() async throws {
    clipboard.offers.stallsOnPurpose = true
    clipboard.offers.contentOnPurpose = .text(Array("late".utf8))
    controller.paste()
    #expect(try await eventually { clipboard.offers.readsOnPurpose == 1 })
    controller.copy(ids[0])
    controller.delete(ids[1])
    #expect(try await eventually { try scratch.texts() == ["three", "one"] })
    #expect(clipboard.offered == ["three"])
    clipboard.offers.stallsOnPurpose = false
    await controller.drain()
    #expect(try scratch.texts() == ["late", "three", "one"])
    #expect(texts == ["late", "three", "one"])
  }

  @Test(arguments: ["captured", "pasted"])
  func `what is captured and pasted at once is recorded once, in its order`(captured: String) async throws {
    let controller = try controller(waiting: 120_000)
    clipboard.offers.content = .text(Array(captured.utf8))
    clipboard.offers.contentOnPurpose = .text(Array("pasted".utf8))
    try await scratch.whileLocked {
      controller.isReading = true
      try await waitUntil("the text read") { clipboard.offers.reads == 1 }
      controller.paste()
    }
    await controller.drain()
    let newest = captured == "pasted" ? ["pasted"] : ["pasted", captured]
    #expect(try scratch.texts() == newest + ["three", "two", "one"])
    #expect(controller.texts == newest + ["three", "two", "one"])
    #expect(view.failures.isEmpty)
  }

  @Test func `a clearing takes what was captured before it and nothing that came after`() async throws {
    let controller = try controller(waiting: 120_000)
    try await scratch.whileLocked {
      // Several, which are recorded so fast that the list hears of them later.
      for number in 1...5 {
        clipboard.offers.copy(.text(Array("before \(number)".utf8)))
        controller.isReading = true
        try await waitUntil("a text read") { clipboard.offers.reads == number }
      }
      // What was read is on its way to the store, which waits for the lock.
      try await Task.sleep(for: .milliseconds(50))
      controller.clear()
      clipboard.offers.copy(.text(Array("after".utf8)))
      try await waitUntil("the last text read") { clipboard.offers.reads == 6 }
    }
    await controller.drain()
    #expect(try await eventually { controller.texts == ["after"] }, "\(controller.texts)")
    #expect(try scratch.texts() == ["after"])
    #expect(view.failures.isEmpty)
  }

  // MARK: - The file

  @Test func `a damaged or replaced file is opened anew, another failure said`() {
    for error in [StoreError.damaged, .replaced, .locked, .cannotBeRescued] {
      view.tell(error, as: .notRead(error))
    }
    #expect(view.reasonsToReopen == [.damaged, .replaced])
    #expect(view.failures == [.notRead(.locked), .notRead(.cannotBeRescued)])
  }

  @Test func `older clips come behind the first page, or a word if they cannot be read`() async throws {
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

  @Test func `closing waits for what was asked for`() async throws {
    controller.delete(ids[1])
    controller.copy(ids[0])
    await controller.close()
    #expect(clipboard.offered == ["three"])
    #expect(try scratch.texts() == ["three", "one"])
    #expect(view.failures.isEmpty)
    controller.copy(ids[0])
    await controller.drain()
    #expect(view.failures == [.notRead(.failed(code: SQLITE_MISUSE))])
  }

  @Test func `it is let go once it is closed, and keeps no view`() async throws {
    weak var gone: HistoryController?
    weak var goneView: RecordingView?
    do {
      let view = RecordingView()
      let other = try Scratch()
      let controller = try HistoryController(
        other.store, other.history.reader, clipboard, now: { 0 }, firstPageSize: 30, undoTime: .seconds(3600),
        host: view)
      controller.view = view
      controller.isReading = true
      controller.undo()
      await controller.close()
      (gone, goneView) = (controller, view)
    }
    #expect(try await eventually { gone == nil && goneView == nil })
  }

  /// The same, with a store that waits so long for another program's lock, in milliseconds.
  private func controller(waiting time: Int32) throws -> HistoryController {
    let store = try HistoryStore(
      location: scratch.location, digest: { key, text in Checksum.hmacSHA256(key: key, of: text.bytes) },
      timeouts: .init(lock: time))
    return try controller(store)
  }

  private func controller(_ store: HistoryStore? = nil, firstPageSize: Int = 30) throws -> HistoryController {
    let controller = try HistoryController(
      store ?? scratch.store, scratch.history.reader, clipboard, now: { Format.now },
      firstPageSize: firstPageSize, host: view)
    controller.view = view
    return controller
  }

  private func paste(_ content: ClipboardContent) async {
    clipboard.offers.contentOnPurpose = content
    controller.paste()
    await controller.drain()
  }
}

/// A text that is dropped.
@MainActor
private final class FakeDrop: DroppedText {
  private let text: Result<[UInt8], TransferError>
  /// What the other program was told.
  private(set) var answers: [Bool] = []

  init(_ text: Result<[UInt8], TransferError>) { self.text = text }

  func read(within limits: TransferLimits) async throws(TransferError) -> [UInt8] {
    let bytes = try text.get()
    guard bytes.count <= limits.bytes else { throw .tooLarge(limit: limits.bytes) }
    return bytes
  }

  func finish(accepted: Bool) { answers.append(accepted) }
}

extension Scratch {
  /// Does something while another program holds the history's file.
  func whileLocked(_ body: () async throws -> Void) async throws {
    var other: OpaquePointer?
    #expect(sqlite3_open(location.database, &other) == SQLITE_OK)
    defer { sqlite3_close(other) }
    #expect(sqlite3_exec(other, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
    try await body()
    #expect(sqlite3_exec(other, "COMMIT", nil, nil, nil) == SQLITE_OK)
  }
}
