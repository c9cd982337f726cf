import ClipboardCore
import GtkTestSupport
import Synchronization
import TestSupport
import Testing

@testable import ClipHistory
@testable import CopyPastaApp

/// The texts that are recorded from a source's offers, and the copies that are noted.
@MainActor
@Suite(.tags(.recordsEveryCopy)) struct CaptureQueueTests {
  private let pendingRead = PendingRead()
  private let source: FakeSource
  private let scratch: Scratch
  private let outcomes = Outcomes()
  private let copies = OwnCopies()
  /// The queue of the user's actions.
  private let queue = TaskQueue()
  private let captures: CaptureQueue

  init() throws {
    scratch = try Scratch()
    source = FakeSource(pendingRead)
    captures = CaptureQueue(
      into: scratch.store, queue: queue, noting: copies, now: { 1_000_000 }, report: outcomes.add)
    source.deliver = { [captures] delivery, offer in
      captures.add(delivery, .copiedElsewhere(offer: offer))
      await captures.awaitRoom()
    }
  }

  /// Simulates a copy in another program, and waits until it was read.
  private func copy(_ content: ClipboardContent) async throws {
    let before = source.reads
    source.copy(content)
    try await waitUntil("the read") { source.reads > before }
  }

  /// Copies a text out of the history.
  private func copyOut(_ text: String) throws {
    let copy = copies.add(try ClipText(validating: Array(text.utf8)), of: nil)
    pendingRead.afterRead { [captures] in captures.add(copy) }
  }

  private func drain() async {
    await withCheckedContinuation { continuation in pendingRead.afterRead { continuation.resume() } }
    await captures.drain()
  }

  private func eventuallyTexts(_ texts: [String]) async throws -> Bool {
    try await eventually { try scratch.texts() == texts }
  }

  @Test func `an offer without text is ignored, and a text that is refused or lost is reported`()
    async throws
  {
    source.follow(true)
    for content: ClipboardContent in [.text(""), .text("\0\0"), .noText, .own] { try await copy(content) }
    try await copy(.text("ended by a NUL\0"))
    await drain()
    #expect(try scratch.texts() == ["ended by a NUL"])
    #expect(outcomes.messages.allSatisfy { $0.isEmpty })
    for bytes: [UInt8] in [[0xE9], [0x61, 0, 0x62]] { try await copy(.text(bytes)) }
    // A row was copied before the text arrived.
    source.failure = .ownershipLost
    try await copy(.text("lost"))
    source.failure = nil
    try await copy(.text("good"))
    await drain()
    #expect(try scratch.texts() == ["good", "ended by a NUL"])
    #expect(outcomes.messages.suffix(4).map { $0.isEmpty } == [false, false, false, true])
    #expect(outcomes.all.contains(.unread(.ownershipLost)))
  }

  /// The user may copy rows during the read that follows the window's activation.
  ///
  /// A clipboard manager may take over the copied text, and its offer may be read before the store notes the copy.
  @Test(arguments: [
    ("last", ["copied out"]), ("copied out", ["copied out"]), ("copied out", ["copied out", "the next one"]),
  ])
  func `a read of the last captured or a copied text records nothing, even if rows are copied meanwhile`(
    read: String, copies: [String]
  ) async throws {
    source.follow(true)
    try await copy(.text("last"))
    #expect(try await eventuallyTexts(["last"]))
    source.copy(nil)
    #expect(try await eventually { source.isWaiting })
    for copy in copies { try copyOut(copy) }
    source.answer(.text(read))
    await drain()
    #expect(try scratch.texts() == ["last"])
    // The store has noted the last copy, so this text is recorded only after another one.
    let last = try #require(copies.last)
    for text in [last, "next", last] { try await copy(.text(text)) }
    #expect(try await eventuallyTexts([last, "next", "last"]))
  }

  /// The text waits in the queue until the user's earlier actions are done.
  @Test(arguments: [("last", ["last"]), ("new", ["new", "last"]), ("copied out", ["last"])])
  func `a text read before a row was copied is still recorded, unless it equals that row or the last capture`(
    read: String, texts: [String]
  ) async throws {
    try await scratch.record("last")
    let action = queue.block()
    source.follow(true)
    try await copy(.text(read))
    try copyOut("copied out")
    action.finish()
    await drain()
    #expect(try scratch.texts() == texts)
    #expect(try await scratch.record("copied out") == nil)
  }

  @Test(arguments: [ClipboardContent.secret, .noText])
  func `outcomes are reported in the order of the offers even if recording a text takes long`(
    next: ClipboardContent
  ) async throws {
    let action = queue.block()
    source.follow(true)
    try await copy(.text("slow"))
    try await copy(next)
    action.finish()
    await drain()
    #expect(outcomes.all.count == 2)
    #expect(outcomes.all.last == (next == .secret ? .secret : .nothingToRecord))
  }

  // MARK: - While another program locks the history

  @Test func `copies during a lock are recorded after it; the lock is reported once, and rows can be read`()
    async throws
  {
    let clip = try #require(try await scratch.record("row"))
    source.content = .noText
    source.follow(true)
    let texts = (1...7).map { "copy \($0)" }
    let drained = Mutex(false)
    try await scratch.whileLocked {
      for text in texts {
        try await copy(.text(text))
        #expect(try await scratch.store.text(of: clip.id) != nil)
      }
      try copyOut("copied out")
      try await waitUntil("the message") { outcomes.all.last == .waiting(.locked) }
      Task {
        await drain()
        drained.withLock { $0 = true }
      }
      // More than ten attempts.
      try await Task.sleep(for: .seconds(3))
      let isDrained = drained.withLock { $0 }
      #expect(try !isDrained && scratch.texts() == ["row"])
    }
    try await waitUntil("everything written") { drained.withLock { $0 } }
    #expect(try scratch.texts() == texts.reversed() + ["row"])
    #expect(outcomes.all.count { $0 == .waiting(.locked) } == 1)
    #expect(copies.all.isEmpty)
    for text in ["copied out", "next"] { try await copy(.text(text)) }
    #expect(try await eventuallyTexts(["next"] + texts.reversed() + ["row"]))
  }

  @Test func `the total size of texts that wait for the disk is limited`() async throws {
    func text(_ number: Int) -> ClipboardContent {
      .text(Array("\(number) ".utf8) + Array(repeating: 0x61, count: 1 << 20))
    }
    // The last text exceeds the limit, because each text counts as slightly more than its number of bytes.
    let most = CaptureQueue.backlogLimit >> 20
    try await scratch.whileLocked {
      source.follow(true)
      for number in 1...most { try await copy(text(number)) }
      // Give the reader as many chances to read as before.
      for number in 1...most {
        source.copy(text(most + number))
        try await Task.sleep(for: .milliseconds(20))
        #expect(source.reads == most && outcomes.all.allSatisfy { $0 == .waiting(.locked) })
      }
      source.close()
    }
    try await waitUntil("the texts recorded") { try scratch.texts().count >= most }
    await drain()
  }

  // MARK: - Copies that could not be noted

  /// A full disk is simulated by a trigger.
  @Test(arguments: [true, false])
  func `a text copied from the history is not recorded even if its fingerprint was stored late`(isLock: Bool)
    async throws
  {
    try await scratch.record("last")
    source.content = .noText
    source.follow(true)
    let copyAndTakeOver = {
      try copyOut("copied out")
      if !isLock { await drain() }
      // A clipboard manager takes the text over.
      try await copy(.text("copied out"))
    }
    if isLock {
      try await scratch.whileLocked(copyAndTakeOver)
    } else {
      try ForeignLock(
        scratch.location,
        "CREATE TRIGGER obstruction BEFORE UPDATE ON last_capture BEGIN SELECT RAISE(FAIL, ''); END"
      ).end()
      try await copyAndTakeOver()
    }
    await drain()
    #expect(try scratch.texts() == ["last"])
    #expect(outcomes.all.contains(.ignored(nil)))
    // It is noted at the latest when the program ends, so that the next start does not record it either.
    if !isLock { try ForeignLock(scratch.location, "DROP TRIGGER obstruction").end() }
    #expect(await captures.close() == 0)
    #expect(copies.all.isEmpty)
    #expect(try await scratch.record("copied out") == nil)
  }
}

private final class Outcomes: Sendable {
  private let outcomes = Mutex<[CaptureOutcome]>([])

  var all: [CaptureOutcome] { outcomes.withLock(\.self) }

  func add(_ capture: Capture) { outcomes.withLock { $0.append(capture.outcome) } }

  @MainActor var messages: [String] { all.map { HistoryFailure.notRecorded($0).message } }
}
