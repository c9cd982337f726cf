import CSQLite
import ClipboardCore
import GtkTestSupport
import Synchronization
import TestSupport
import Testing

@testable import ClipHistory
@testable import CopyPastaApp

/// The texts that `ClipboardRecorder` records from a source's offers.
@MainActor
@Suite struct ClipboardRecorderTests {
  private let source = FakeSource()
  private let scratch: Scratch
  private let outcomes = Outcomes()
  private let recorder: ClipboardRecorder

  init() throws {
    scratch = try Scratch()
    recorder = ClipboardRecorder(into: scratch.store, now: { 1_000_000 }, report: outcomes.add)
    source.deliver = recorder.take
  }

  private func text(_ text: String) -> ClipboardContent { .text(Array(text.utf8)) }

  private func eventuallyTexts(_ texts: [String]) async throws -> Bool {
    try await eventually { try scratch.texts() == texts }
  }

  @Test func `no clipboard offer is read while the window is inactive`() async throws {
    source.copy(text("before"))
    #expect(source.reads == 0)
    source.follow(true)
    #expect(try await eventuallyTexts(["before"]))
    source.follow(false)
    source.copy(text("meanwhile"))
    source.copy(text("after"))
    #expect(source.reads == 1)
    source.follow(true)
    #expect(try await eventuallyTexts(["after", "before"]))
    #expect(source.reads == 2)
  }

  @Test func `each clipboard offer is read while the window is active`() async throws {
    source.content = .noText
    source.follow(true)
    for text in ["a", "b", "a"] {
      source.copy(self.text(text))
      #expect(try await eventually { try scratch.texts().first == text })
    }
    #expect(try scratch.texts() == ["a", "b", "a"])
  }

  @Test(arguments: ["", "\0\0"]) func `an empty text on the clipboard is not stored and causes no message`(
    _ empty: String
  )
    async throws
  {
    source.follow(true)
    source.copy(text(empty))
    #expect(try await eventually { source.reads == 1 })
    source.copy(text("ended by a NUL\0"))
    #expect(try await eventuallyTexts(["ended by a NUL"]))
    await recorder.drain(after: source)
    #expect(outcomes.all.count == 2 && outcomes.messages == [nil, nil])
  }

  /// The clipboard is read when the window becomes active, and the user may copy a row during that read.
  @Test func `the last captured text is not recorded again if it is read while a row is copied`()
    async throws
  {
    source.follow(true)
    source.copy(text("last"))
    #expect(try await eventuallyTexts(["last"]))
    source.follow(false)
    source.copy(nil)
    source.follow(true)
    #expect(try await eventually { source.isWaiting })
    recorder.noteCopied(try ClipText(validating: Array("copied out".utf8)), after: source)
    source.answer(text("last"))
    await recorder.drain(after: source)
    #expect(try scratch.texts() == ["last"])
    // The copied row's text is not recorded either.
    let before = source.reads
    source.copy(text("copied out"))
    #expect(try await eventually { source.reads > before })
    source.copy(text("next"))
    #expect(try await eventuallyTexts(["next", "last"]))
  }

  /// A clipboard manager may take over the copied text, and its offer may be read before the store notes the copy.
  @Test(arguments: [["copied out"], ["copied out", "the next one"]])
  func `the text of a copied row is not recorded even if it is read before the copy is stored`(
    copies: [String]
  ) async throws {
    source.follow(true)
    source.copy(text("last"))
    #expect(try await eventuallyTexts(["last"]))
    source.copy(nil)
    #expect(try await eventually { source.isWaiting })
    for copy in copies { recorder.noteCopied(try ClipText(validating: Array(copy.utf8)), after: source) }
    source.answer(text("copied out"))
    await recorder.drain(after: source)
    #expect(try scratch.texts() == ["last"])
    // If the store had not noted the last copy, this text would be recorded.
    let before = source.reads
    source.copy(text(try #require(copies.last)))
    #expect(try await eventually { source.reads > before })
    source.copy(text("next"))
    #expect(try await eventuallyTexts(["next", "last"]))
  }

  /// The text waits in the queue until the user's earlier actions are done.
  @Test(arguments: [("last", ["last"]), ("new", ["new", "last"]), ("copied out", ["last"])])
  func `a text read before a row was copied is still recorded, unless it equals that row or the last capture`(
    read: String, texts: [String]
  ) async throws {
    let queue = TaskQueue()
    let recorder = ClipboardRecorder(into: scratch.store, queue: queue, now: { 1_000_000 }) { _ in }
    source.deliver = recorder.take
    try await scratch.record("last")
    let (gate, opening) = AsyncStream<Never>.makeStream()
    queue.add { for await _ in gate {} }
    source.content = text(read)
    source.follow(true)
    #expect(try await eventually { source.reads == 1 })
    recorder.noteCopied(try ClipText(validating: Array("copied out".utf8)), after: source)
    opening.finish()
    await recorder.drain(after: source)
    #expect(try scratch.texts() == texts)
    #expect(try await scratch.record("copied out") == nil)
  }

  @Test func `a message reports a text that was lost because a row was copied`() async throws {
    source.failure = .ownershipLost
    source.follow(true)
    #expect(try await eventually { !outcomes.all.isEmpty })
    #expect(outcomes.all == [.unread(.ownershipLost)])
    #expect(outcomes.messages.allSatisfy { $0 != nil })
  }

  /// The transfer must finish, because some owners cannot serve other programs until then.
  @Test func `a transfer continues when the window becomes inactive, and the recorder can wait for its end`()
    async throws
  {
    source.follow(true)
    #expect(try await eventually { source.isWaiting })
    source.follow(false)
    let settled = Task {
      await recorder.drain(after: source)
      return try scratch.texts()
    }
    source.copy(text("meanwhile"))
    source.answer(text("asked for before"))
    #expect(try await settled.value == ["asked for before"])
    #expect(source.reads == 1)
  }

  @Test func `closing a clipboard source cancels its transfer`() async throws {
    source.follow(true)
    #expect(try await eventually { source.isWaiting })
    source.close()
    #expect(try await eventually { source.cancelled == 1 })
    await recorder.drain(after: source)
    #expect(outcomes.all.isEmpty)
  }

  @Test func `a clipboard offer without text is ignored without a message`() async throws {
    source.content = .noText
    source.follow(true)
    for content: ClipboardContent in [.noText, .own, .text([])] {
      let before = source.reads
      source.copy(content)
      #expect(try await eventually { source.reads > before })
    }
    source.copy(text("text"))
    #expect(try await eventuallyTexts(["text"]))
    await recorder.drain(after: source)
    #expect(outcomes.messages.allSatisfy { $0 == nil })
  }

  @Test func `a secret on the clipboard is reported but not recorded`() async throws {
    source.content = .noText
    source.follow(true)
    source.copy(.secret)
    #expect(try await eventually { outcomes.all == [.secret] })
    #expect(try scratch.texts() == [])
  }

  @Test(arguments: [ClipboardContent.secret, .noText])
  func `outcomes are reported in the order of the offers even if recording a text takes long`(
    next: ClipboardContent
  ) async throws {
    let queue = TaskQueue()
    let recorder = ClipboardRecorder(
      into: scratch.store, queue: queue, now: { 1_000_000 }, report: outcomes.add)
    source.deliver = recorder.take
    let (gate, opening) = AsyncStream<Never>.makeStream()
    queue.add { for await _ in gate {} }
    source.content = text("slow")
    source.follow(true)
    #expect(try await eventually { source.reads == 1 })
    source.copy(next)
    #expect(try await eventually { source.reads == 2 })
    opening.finish()
    await recorder.drain(after: source)
    #expect(outcomes.all.count == 2)
    #expect(outcomes.all.last == (next == .secret ? .secret : .nothingToRecord))
  }

  @Test func `an invalid text on the clipboard is refused with a message`() async throws {
    source.content = .noText
    source.follow(true)
    for bytes: [UInt8] in [[0xE9], [0x61, 0, 0x62]] {
      let before = outcomes.all.count
      source.copy(.text(bytes))
      #expect(try await eventually { outcomes.all.count > before })
    }
    source.copy(text("good"))
    #expect(try await eventuallyTexts(["good"]))
    await recorder.drain(after: source)
    #expect(outcomes.messages.map { $0 == nil } == [false, false, true])
  }

  /// The source offers texts of 1 MiB without a pause while another program locks the history's file.
  @Test func `the total size of texts that wait for the disk is limited`() async throws {
    // The store waits for the lock longer than the test holds the lock.
    let store = try HistoryStore(
      location: scratch.location, digest: { _, text in Array(text.bytes.suffix(32)) },
      timeouts: .init(lock: 120_000))
    var lock: OpaquePointer?
    #expect(sqlite3_open(scratch.location.database, &lock) == SQLITE_OK)
    defer { sqlite3_close(lock) }
    #expect(sqlite3_exec(lock, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
    let source = FakeSource()
    source.endless = { number in .text(Array("\(number) ".utf8) + Array(repeating: 0x61, count: 1 << 20)) }
    let recorder = ClipboardRecorder(into: store, now: { 1_000_000 }, report: outcomes.add)
    source.deliver = recorder.take
    source.follow(true)
    // The last text exceeds the limit, because each text counts as slightly more than its number of bytes.
    let most = ClipboardRecorder.backlogLimit >> 20
    #expect(try await eventually { source.reads == most })
    // Give the reader as many chances to read as before.
    for _ in 0..<most {
      try await Task.sleep(for: .milliseconds(20))
      #expect(source.reads == most && outcomes.all.isEmpty)
    }
    #expect(sqlite3_exec(lock, "COMMIT", nil, nil, nil) == SQLITE_OK)
    source.close()
    await recorder.drain(after: source)
  }

  @Test func `a closed clipboard recorder is released`() async throws {
    weak var gone: ClipboardRecorder?
    do {
      let recorder = ClipboardRecorder(into: scratch.store, now: { 0 }) { _ in }
      let source = FakeSource()
      source.deliver = recorder.take
      source.follow(true)
      source.close()
      gone = recorder
    }
    #expect(try await eventually { gone == nil })
  }
}

private final class Outcomes: Sendable {
  private let outcomes = Mutex<[CaptureOutcome]>([])
  var all: [CaptureOutcome] { outcomes.withLock(\.self) }

  func add(_ outcome: CaptureOutcome) { outcomes.withLock { $0.append(outcome) } }

  @MainActor var messages: [String?] { all.map(\.message) }
}
