import ClipboardCore
import SerialQueue
import Synchronization
import TestSupport
import Testing

@testable import ClipHistory
@testable import CopyPastaApp

/// The texts that are recorded from a clipboard's offers, and the copies that are stored.
@MainActor
@Suite(.tags(.recordsEveryCopy)) struct IntakeTests {
  private let clipboard = FakeClipboard()
  private let scratch: Scratch
  private let outcomes = Outcomes()
  /// The queue of the user's actions.
  private let queue = TaskQueue()
  private let intake: Intake

  init() throws {
    scratch = try Scratch()
    intake = Intake(
      into: scratch.store, from: clipboard, after: queue, now: { 1_000_000 }, show: outcomes.add,
      clipboardChanged: {})
  }

  private func follow() {
    intake.conditions = .init(isShown: true, isActive: true, isPaused: false, isOpen: true)
  }

  /// Simulates a copy in another program, and waits until it was read.
  private func copy(_ content: ClipboardContent) async throws {
    let before = clipboard.reads
    clipboard.copy(content)
    try await waitUntil("the read") { clipboard.reads > before }
  }

  /// Copies a text out of the history.
  private func copyOut(_ text: String) async throws {
    try await intake.copy(ClipText(validating: Array(text.utf8)), CopyPress(moment: 0))
  }

  private func drain() async { await intake.drain() }

  private func eventuallyTexts(_ texts: [String]) async throws -> Bool {
    try await eventually { try scratch.texts() == texts }
  }

  @Test func `an offer without text is ignored, and a refused or lost text is reported`() async throws {
    follow()
    for content: ClipboardContent in [.text(""), .text("\0\0"), .noText, .own] { try await copy(content) }
    try await copy(.text("ended by a NUL\0"))
    await drain()
    #expect(try scratch.texts() == ["ended by a NUL"])
    #expect(outcomes.messages.allSatisfy { $0.isEmpty })
    for bytes: [UInt8] in [[0xE9], [0x61, 0, 0x62]] { try await copy(.text(bytes)) }
    // A row was copied before the text arrived.
    clipboard.readFailure = .ownershipLost
    try await copy(.text("lost"))
    clipboard.readFailure = nil
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
    follow()
    try await copy(.text("last"))
    #expect(try await eventuallyTexts(["last"]))
    clipboard.copy(nil)
    #expect(try await eventually { clipboard.isWaiting })
    for copy in copies { try await copyOut(copy) }
    clipboard.answer(.text(read))
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
    follow()
    try await copy(.text(read))
    try await copyOut("copied out")
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
    follow()
    try await copy(.text("slow"))
    try await copy(next)
    action.finish()
    await drain()
    #expect(outcomes.all.count == 2)
    #expect(outcomes.all.last == (next == .secret ? .secret : .nothingToRecord))
  }

  @Test func `a paste of a row above the size limit is refused`() async throws {
    try await copyOut("copied out")
    intake.sizeLimit = 9
    intake.paste()
    await drain()
    #expect(try scratch.texts().isEmpty)
    #expect(outcomes.all == [.unread(.tooLarge(limit: 9))])
  }

  /// The write may end just as the wait for it begins.
  @Test(.timeLimit(.minutes(1))) func `waiting for all texts ends, whenever the last one is written`()
    async throws
  {
    await Task.unpooled { [captures = intake.captures] in
      for number in 1...2000 {
        captures.add(.bytes(Array("\(number)".utf8)), .dropped)
        let end = ContinuousClock.now + .microseconds(number % 100 * 3)
        while captures.isWaiting, .now < end { await Task.yield() }
        await captures.drain()
      }
    }.value
    #expect(try scratch.texts().first == "2000")
  }

  // MARK: - While another program locks the history

  @Test func `copies during a lock are recorded after it, and the lock is reported once`() async throws {
    let clip = try #require(try await scratch.record("row"))
    clipboard.content = .noText
    follow()
    let texts = (1...7).map { "copy \($0)" }
    let drained = Mutex(false)
    try await scratch.whileLocked {
      for text in texts {
        try await copy(.text(text))
        #expect(try await scratch.store.text(of: clip.id) != nil)
      }
      // The last of them becomes the fingerprint, and none is left over.
      for text in ["one", "two", "copied out"] { try await copyOut(text) }
      try await waitUntil("the message") { outcomes.all.last == .waiting(.locked) }
      Task {
        await drain()
        drained.withLock { $0 = true }
      }
      for _ in 1...3 {
        intake.captures.resume()
        await queue.drain()
      }
      let isDrained = drained.withLock { $0 }
      #expect(try !isDrained && scratch.texts() == ["row"])
    }
    intake.captures.resume()
    try await waitUntil("everything written") { drained.withLock { $0 } }
    #expect(try scratch.texts() == texts.reversed() + ["row"])
    #expect(outcomes.all.count { $0 == .waiting(.locked) } == 1)
    #expect(intake.captures.copies.isEmpty)
    for text in ["copied out", "next"] { try await copy(.text(text)) }
    #expect(try await eventuallyTexts(["next"] + texts.reversed() + ["row"]))
  }

  @Test func `the size limit bounds the texts that wait; each lost text is reported`() async throws {
    func text(_ number: Int) -> ClipboardContent {
      .text(Array("\(number) ".utf8) + Array(repeating: 0x61, count: 16 << 20))
    }
    clipboard.content = .noText
    intake.sizeLimit = 1 << 20
    follow()
    try await scratch.whileLocked {
      // The fourth does not fit, because each text counts as slightly more than its number of bytes.
      for number in 1...4 { try await copy(text(number)) }
      for small in ["a", "b", "c"] { try await copy(.text(small)) }
      try await waitUntil("the reports") {
        outcomes.all.contains(.overflow) && outcomes.all.contains(.waiting(.locked))
      }
    }
    intake.captures.resume()
    await drain()
    #expect(try scratch.texts().map { $0.prefix(2) } == ["c", "b", "a", "3 ", "2 ", "1 "])
    #expect(outcomes.all.count { $0 == .overflow } == 1)
  }

  // MARK: - Copies that could not be noted

  @Test(.tags(.recordsNoOwnCopy))
  func `a copy that could not be noted is noted once the history can be written`() async throws {
    try await copyOutUnnoted("copied out")
    intake.captures.resume()
    await drain()
    #expect(intake.captures.copies.isEmpty)
    #expect(try await scratch.record("copied out") == nil)
  }

  /// A full disk is simulated by a trigger.
  @Test(.tags(.recordsNoOwnCopy), arguments: [true, false])
  func `a text copied from the history is not recorded even if its fingerprint was stored late`(isLock: Bool)
    async throws
  {
    try await scratch.record("last")
    clipboard.content = .noText
    follow()
    // The newest copy is remembered, however large it is.
    let text = isLock ? "copied out" : String.repetition(of: "copied out", count: 500_000)
    let copyAndTakeOver = {
      try await copyOut(text)
      if !isLock { await drain() }
      // A clipboard manager takes the text over.
      try await copy(.text(text))
    }
    if isLock {
      try await scratch.whileLocked(copyAndTakeOver)
      // An attempt that the lock has stopped may end only now.
      try await waitUntil("everything written") {
        intake.captures.resume()
        await queue.drain()
        return !intake.captures.isWaiting
      }
    } else {
      try scratch.foreign(Self.obstruction)
      try await copyAndTakeOver()
    }
    await drain()
    #expect(try scratch.texts() == ["last"])
    #expect(outcomes.all.contains(.ignored))
    // It is noted at the latest when the program ends, so that the next start does not record it either.
    if !isLock { try scratch.foreign("DROP TRIGGER obstruction") }
    #expect(await intake.captures.close() == 0)
    #expect(intake.captures.copies.isEmpty)
    #expect(try await scratch.record(text) == nil)
  }

  @Test func `a copy that could not be noted is noted with the next text, whatever that is`() async throws {
    try await copyOutUnnoted("copied out")
    #expect(!intake.captures.copies.isEmpty)
    intake.drop(FakeDrop("dropped"))
    await drain()
    #expect(intake.captures.copies.isEmpty)
    #expect(try await scratch.record("copied out") == nil)
  }

  @Test func `a paste after a copy that could not be noted records the text on the clipboard`() async throws {
    try await copyOutUnnoted("copied out")
    clipboard.lose()
    clipboard.resultOnPurpose = .success(.text("pasted"))
    intake.paste()
    await drain()
    #expect(try scratch.texts() == ["pasted"])
  }

  /// Copies a text out of the history while its fingerprint cannot be stored.
  private func copyOutUnnoted(_ text: String) async throws {
    clipboard.content = .noText
    follow()
    try scratch.foreign(Self.obstruction)
    try await copyOut(text)
    await drain()
    try scratch.foreign("DROP TRIGGER obstruction")
  }

  private static let obstruction =
    "CREATE TRIGGER obstruction BEFORE UPDATE ON last_capture BEGIN SELECT RAISE(FAIL, ''); END"
}

@MainActor
private final class Outcomes {
  private(set) var all: [CaptureOutcome] = []

  func add(_ captures: [Capture]) {
    // A copy from the history has no row.
    all += captures.filter { $0.way != .copied }.map(\.outcome)
  }

  var messages: [String] { all.map { HistoryFailure.notRecorded($0).message } }
}
