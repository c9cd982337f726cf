import CSQLite
import ClipboardCore
import GtkTestSupport
import Synchronization
import TestSupport
import Testing

@testable import ClipHistory
@testable import CopyPastaApp

/// The texts that are recorded from a source's offers, and the copies that are noted.
@MainActor
@Suite struct CaptureQueueTests {
  private let pendingRead: PendingRead
  private let source: FakeSource
  private let scratch: Scratch
  private let outcomes = Outcomes()
  private let copies = OwnCopies()
  private let captures: CaptureQueue

  init() throws {
    scratch = try Scratch()
    pendingRead = PendingRead()
    source = FakeSource(pendingRead)
    captures = CaptureQueue(
      into: scratch.store, queue: TaskQueue(), noting: copies, now: { 1_000_000 }, report: outcomes.add)
    deliver(to: captures)
  }

  private func deliver(to captures: CaptureQueue, from source: FakeSource? = nil) {
    (source ?? self.source).deliver = { delivery, offer in
      captures.add(delivery, .followed(offer: offer))
      await captures.awaitRoom()
    }
  }

  /// Copies a text out of the history.
  private func copyOut(_ text: String, to captures: CaptureQueue? = nil) throws {
    let captures = captures ?? self.captures
    let copy = copies.add(try ClipText(validating: Array(text.utf8)), of: nil)
    pendingRead.afterRead { captures.note(copy) }
  }

  private func drain(_ captures: CaptureQueue? = nil) async {
    await withCheckedContinuation { continuation in pendingRead.afterRead { continuation.resume() } }
    await (captures ?? self.captures).drain()
  }

  private func text(_ text: String) -> ClipboardContent { .text(Array(text.utf8)) }

  private func eventuallyTexts(_ texts: [String]) async throws -> Bool {
    try await eventually { try scratch.texts() == texts }
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
    await drain()
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
    try copyOut("copied out")
    source.answer(text("last"))
    await drain()
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
    for copy in copies { try copyOut(copy) }
    source.answer(text("copied out"))
    await drain()
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
    let captures = CaptureQueue(into: scratch.store, queue: queue, noting: copies, now: { 1_000_000 }) { _ in
    }
    deliver(to: captures)
    try await scratch.record("last")
    let (gate, opening) = AsyncStream<Never>.makeStream()
    queue.add { for await _ in gate {} }
    source.content = text(read)
    source.follow(true)
    #expect(try await eventually { source.reads == 1 })
    try copyOut("copied out", to: captures)
    opening.finish()
    await drain(captures)
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
    await drain()
    #expect(outcomes.messages.allSatisfy { $0 == nil })
  }

  @Test(arguments: [ClipboardContent.secret, .noText])
  func `outcomes are reported in the order of the offers even if recording a text takes long`(
    next: ClipboardContent
  ) async throws {
    let queue = TaskQueue()
    let captures = CaptureQueue(
      into: scratch.store, queue: queue, noting: copies, now: { 1_000_000 }, report: outcomes.add)
    deliver(to: captures)
    let (gate, opening) = AsyncStream<Never>.makeStream()
    queue.add { for await _ in gate {} }
    source.content = text("slow")
    source.follow(true)
    #expect(try await eventually { source.reads == 1 })
    source.copy(next)
    #expect(try await eventually { source.reads == 2 })
    opening.finish()
    await drain(captures)
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
    await drain()
    #expect(outcomes.messages.map { $0 == nil } == [false, false, true])
  }

  // MARK: - While another program locks the history

  @Test func `copies under a lock are recorded in order after it, and copying rows does not wait for it`()
    async throws
  {
    let clip = try #require(try await scratch.record("row"))
    source.content = .noText
    source.follow(true)
    let texts = (1...7).map { "copy \($0)" }
    var longest = Duration.zero
    try await scratch.whileLocked {
      for text in texts {
        let before = source.reads
        source.copy(self.text(text))
        let start = ContinuousClock.now
        let row = try await scratch.store.text(of: clip.id)
        longest = max(longest, ContinuousClock.now - start)
        #expect(row != nil)
        try await waitUntil("the read") { source.reads > before }
      }
      try await waitUntil("the message") { outcomes.all.contains(.waiting(.locked)) }
      #expect(try scratch.texts() == ["row"])
    }
    #expect(try await eventuallyTexts(texts.reversed() + ["row"]))
    await drain()
    #expect(outcomes.all.count { $0 == .waiting(.locked) } == 1)
    print("the longest wait for a row's text under a lock: \(longest)")
  }

  @Test func `a lock is reported once, waited for without a limit, and the next text after it is recorded`()
    async throws
  {
    source.content = .noText
    source.follow(true)
    let drained = Mutex(false)
    try await scratch.whileLocked {
      source.copy(text("kept"))
      try copyOut("copied out")
      try await waitUntil("the message") { outcomes.all.last == .waiting(.locked) }
      Task {
        await drain()
        drained.withLock { $0 = true }
      }
      // More than ten attempts.
      try await Task.sleep(for: .seconds(3))
      #expect(!drained.withLock { $0 })
    }
    try await waitUntil("everything written") { drained.withLock { $0 } }
    #expect(try scratch.texts() == ["kept"])
    #expect(outcomes.all.count { $0 == .waiting(.locked) } == 1)
    #expect(copies.all.isEmpty)
    source.copy(text("copied out"))
    source.copy(text("next"))
    #expect(try await eventuallyTexts(["next", "kept"]))
  }

  @Test func `the total size of texts that wait for the disk is limited`() async throws {
    source.endless = { number in .text(Array("\(number) ".utf8) + Array(repeating: 0x61, count: 1 << 20)) }
    // The last text exceeds the limit, because each text counts as slightly more than its number of bytes.
    let most = CaptureQueue.backlogLimit >> 20
    try await scratch.whileLocked {
      source.follow(true)
      #expect(try await eventually { source.reads == most })
      // Give the reader as many chances to read as before.
      for _ in 0..<most {
        try await Task.sleep(for: .milliseconds(20))
        #expect(source.reads == most && outcomes.all.allSatisfy { $0 == .waiting(.locked) })
      }
      source.close()
    }
    try await waitUntil("the texts recorded") { try scratch.texts().count >= most }
    await drain()
  }

  // MARK: - Copies that could not be noted

  @Test(arguments: [true, false])
  func `the text of a copied row is not recorded even if the copy could not be noted at once`(isLock: Bool)
    async throws
  {
    try await scratch.record("last")
    source.content = .noText
    source.follow(true)
    let fault = try isLock ? nil : Obstruction(of: scratch)
    let copyAndTakeOver = {
      try copyOut("copied out")
      if !isLock { await drain() }
      // A clipboard manager takes the text over.
      let before = source.reads
      source.copy(text("copied out"))
      try await waitUntil("the read") { source.reads > before }
    }
    if isLock { try await scratch.whileLocked(copyAndTakeOver) } else { try await copyAndTakeOver() }
    await drain()
    #expect(try scratch.texts() == ["last"])
    #expect(outcomes.all.contains(.ignored(nil)))
    // It is noted at the latest when the program ends, so that the next start does not record it either.
    try fault?.remove()
    #expect(await captures.close() == 0)
    #expect(copies.all.isEmpty)
    #expect(try await scratch.record("copied out") == nil)
  }

  @Test func `a copied row's text is recorded if copied elsewhere after another text`() async throws {
    source.content = .noText
    source.follow(true)
    try copyOut("A")
    await drain()
    for text in ["B", "A"] {
      source.copy(self.text(text))
      #expect(try await eventually { try scratch.texts().first == text })
    }
    #expect(try scratch.texts() == ["A", "B"])
  }

  @Test func `a closed queue is released`() async throws {
    weak var gone: CaptureQueue?
    do {
      let captures = CaptureQueue(into: scratch.store, queue: TaskQueue(), noting: copies, now: { 0 }) { _ in
      }
      let source = FakeSource()
      deliver(to: captures, from: source)
      source.follow(true)
      source.close()
      gone = captures
    }
    #expect(try await eventually { gone == nil })
  }
}

/// Makes every note of a copy fail, as a full disk does.
@MainActor
private struct Obstruction {
  private let scratch: Scratch

  init(of scratch: Scratch) throws {
    self.scratch = scratch
    try run("CREATE TRIGGER obstruction BEFORE UPDATE ON last_capture BEGIN SELECT RAISE(FAIL, ''); END")
  }

  func remove() throws { try run("DROP TRIGGER obstruction") }

  private func run(_ statement: String) throws {
    var other: OpaquePointer?
    #expect(sqlite3_open(scratch.location.database, &other) == SQLITE_OK)
    defer { sqlite3_close(other) }
    #expect(sqlite3_exec(other, statement, nil, nil, nil) == SQLITE_OK)
  }
}

private final class Outcomes: Sendable {
  private let outcomes = Mutex<[CaptureOutcome]>([])

  var all: [CaptureOutcome] { outcomes.withLock(\.self) }

  func add(_ capture: Capture) { outcomes.withLock { $0.append(capture.outcome) } }

  @MainActor var messages: [String?] { all.map(\.message) }
}
