import ClipboardCore
import GtkKit
import GtkTestSupport
import TestSupport
import Testing

@testable import ClipHistory
@testable import CopyPastaApp

/// Pasting and dropping, and actions that overlap.
extension HistorySessionTests {
  @Test(arguments: [("three", ["three", "two", "one"]), ("one", ["one", "three", "two", "one"])])
  func `a text pasted twice is recorded once, and its row at the top gets the focus`(
    text: String, texts: [String]
  )
    async throws
  {
    for _ in 1...2 { await paste(.text(Array(text.utf8))) }
    try expect(texts)
    #expect(log.additions == 2 && log.failures.isEmpty)
  }

  @Test
  func `pasting records a text that was captured last and deleted, or that was copied from CopyPasta`()
    async throws
  {
    try await scratch.store.delete(ids[0])
    session.model.remove(ids[0])
    await paste(.text(Array("three".utf8)))
    try expect(initial)
    try await clipboard.offer(ClipText(validating: Array("cut".utf8)))
    await paste(.own)
    try expect(["cut"] + initial)
    #expect(log.failures.isEmpty)
  }

  @Test(arguments: [
    ClipboardContent.noText, .secret, .text([]), .text([0xFF]), .text([0x61, 0x00, 0x62]),
  ])
  func `pasting invalid content shows an error`(content: ClipboardContent) async throws {
    await paste(content)
    try expect(initial)
    #expect(log.failures.count == 1)
    #expect(log.failures.allSatisfy { $0.message != nil })
    #expect(log.additions == 0)
  }

  @Test(arguments: [
    TransferError.timedOut, .ownerGone, .refused, .tooLarge(limit: 1 << 20), .unavailable,
  ])
  func `a paste or drop that cannot be read shows an error and records no text`(error: TransferError)
    async throws
  {
    clipboard.offers.failureOnPurpose = error
    await paste(.text(Array("never".utf8)))
    let drop = FakeDrop(.failure(error))
    session.record(drop)
    await session.drain()
    try expect(initial)
    #expect(log.failures == Array(repeating: .notRecorded(.unread(error)), count: 2))
    #expect(drop.answers == [false])
  }

  @Test(arguments: [ClipboardContent.text(Array("three".utf8)), .text(Array("next".utf8)), .text([0xFF])])
  func `the indicator reports a skipped secret until the next text arrives, valid or not`(
    next: ClipboardContent
  ) async throws {
    clipboard.offers.copy(.secret)
    session.attention = .active
    try await pump("the indicator showing the secret") { log.secrets.last == true }
    clipboard.offers.copy(next)
    // In a burst, the outcome arrives with a timer of the main loop.
    try await pump("the indicator back to normal") { log.secrets.last == false }
    #expect(log.secrets == [true, false])
  }

  @Test(arguments: [HistorySession.Attention.shown, .hidden, .active])
  func
    `a paste that waits is dropped and reported once when the window loses the focus, is paused or is hidden`(
      attention: HistorySession.Attention
    ) async throws
  {
    clipboard.offers.content = .noText
    session.attention = .active
    clipboard.offers.stallsOnPurpose = true
    clipboard.offers.contentOnPurpose = .text(Array("never".utf8))
    for _ in 1...3 { session.paste() }
    try await waitUntil("the read") { clipboard.offers.readsOnPurpose.count == 1 }
    // The window that stays active is paused.
    if attention == .active { session.services.pause.isPaused = true }
    session.attention = attention
    #expect(log.failures == [.notRecorded(.unread(.cancelled))])
    clipboard.offers.stallsOnPurpose = false
    await session.drain()
    #expect(clipboard.offers.readsOnPurpose.count == 1 && log.failures.count == 1)
    try expect(initial)
  }

  @Test func `nothing is requested for a paste whose offer was replaced or whose window was left`()
    async throws
  {
    clipboard.offers.contentOnPurpose = .text(Array("never".utf8))
    clipboard.offers.content = .noText
    session.attention = .active
    session.paste()
    clipboard.offers.copy(.noText)
    await session.drain()
    session.paste()
    session.attention = .shown
    await session.drain()
    #expect(clipboard.offers.readsOnPurpose == [])
    #expect(log.failures.count == 2 && log.failures.allSatisfy { $0 == .notRecorded(.unread(.cancelled)) })
    // Nothing is read in the background, and during a pause only what is pasted.
    let reads = clipboard.offers.reads
    clipboard.offers.copy(.noText)
    session.services.pause.isPaused = true
    session.attention = .active
    await paste(.text(Array("wanted".utf8)))
    try expect(["wanted"] + initial)
    #expect(clipboard.offers.reads == reads)
  }

  /// On X11 nothing counts the offers while reading is paused.
  @Test func `a paste during a pause is read before the actions in progress end`() async throws {
    clipboard.offers.content = .noText
    session.services.pause.isPaused = true
    session.attention = .active
    clipboard.offers.contentOnPurpose = .text(Array("meant".utf8))
    let (isEnded, end) = AsyncStream<Void>.makeStream()
    session.queue.add { for await _ in isEnded {} }
    session.paste()
    try await waitUntil("the read") { clipboard.offers.readsOnPurpose.count == 1 }
    clipboard.offers.contentOnPurpose = .text(Array("later".utf8))
    end.finish()
    await session.drain()
    try expect(["meant"] + initial)
    #expect(clipboard.offers.readsOnPurpose.count == 1)
  }

  @Test(arguments: [(false, ["dropped", "three"]), (true, ["three"])])
  func `a drop does not need the focus, but is cancelled when the window is hidden`(
    isHidden: Bool, texts: [String]
  ) async throws {
    clipboard.offers.content = .noText
    session.attention = .active
    let drop = FakeDrop(nil)
    session.record(drop)
    session.attention = isHidden ? .hidden : .shown
    drop.answer(.success(.text(Array("dropped".utf8))))
    await session.drain()
    try expect(texts + initial.dropFirst())
    // Draining does not wait for a drop that was withdrawn.
    #expect(try await eventually { drop.answers == [!isHidden] })
    #expect(log.failures.count == (isHidden ? 1 : 0))
  }

  @Test func `a dropped secret is refused with a message`() async throws {
    let drop = FakeDrop(.success(.secret))
    session.record(drop)
    await session.drain()
    #expect(drop.answers == [false] && log.failures == [.notRecorded(.secret)])
    #expect(log.secrets.isEmpty, "the clipboard holds no secret")
    try expect(initial)
  }

  @Test func `a drop that waits holds up neither captures nor other drops`() async throws {
    clipboard.offers.content = .noText
    session.attention = .active
    let slow = FakeDrop(nil)
    session.record(slow)
    clipboard.offers.copy(.text(Array("captured".utf8)))
    // In a burst, a text arrives with a timer of the main loop.
    try await pump("the capture") { session.texts.first == "captured" }
    session.record(FakeDrop("dropped"))
    try await pump("the other drop") { session.texts.first == "dropped" }
    slow.answer(.failure(.timedOut))
    await session.drain()
    #expect(slow.answers == [false] && log.failures == [.notRecorded(.unread(.timedOut))])
  }

  @Test func `a drop within the size limit is recorded, and the clipboard's text is not recorded again`()
    async throws
  {
    session.intake.sizeLimit = 7
    for text in ["dropped", "too large"] {
      let drop = FakeDrop(text)
      session.record(drop)
      await session.drain()
      #expect(drop.answers == [text == "dropped"])
    }
    try expect(["dropped"] + initial)
    #expect(log.failures == [.notRecorded(.unread(.tooLarge(limit: 7)))])
    #expect(try await scratch.record("three") == nil)
  }

  // MARK: - Concurrent actions

  @Test func `history actions that are requested together run in order`() async throws {
    session.copy(ids[1])
    session.delete(ids[1])
    session.copy(ids[1])
    session.undo()
    session.copy(ids[1])
    await session.drain()
    #expect(clipboard.offered == ["two"])
    #expect(log.failures == [.gone, .gone])
    try expect(initial)
  }

  @Test func `pasting right after cutting records the cut text`() async throws {
    clipboard.offers.contentOnPurpose = .own
    session.copyAndDelete(ids[2])
    session.paste()
    await session.drain()
    try expect(["one", "three", "two"])
  }

  /// A selection owner may take as long as the transfer limits allow.
  @Test func `a paste that waits for its text does not delay other actions`() async throws {
    clipboard.offers.stallsOnPurpose = true
    clipboard.offers.contentOnPurpose = .text(Array("late".utf8))
    session.paste()
    #expect(try await eventually { clipboard.offers.readsOnPurpose.count == 1 })
    session.copy(ids[0])
    session.delete(ids[1])
    #expect(try await eventually { try scratch.texts() == ["three", "one"] })
    #expect(clipboard.offered == ["three"])
    clipboard.offers.stallsOnPurpose = false
    await session.drain()
    try expect(["late", "three", "one"])
  }

  @Test(arguments: ["captured", "pasted"])
  func `a simultaneous capture and paste are recorded in order, without a duplicate`(captured: String)
    async throws
  {
    let session = HistorySession.make(at: scratch.location, clipboard, lock: 120_000)
    clipboard.offers.content = .text(Array(captured.utf8))
    clipboard.offers.contentOnPurpose = .text(Array("pasted".utf8))
    try await scratch.whileLocked {
      session.attention = .active
      try await waitUntil("the text read") { clipboard.offers.reads == 1 }
      await withCheckedContinuation { delivered in clipboard.pendingRead.afterRead { delivered.resume() } }
      session.paste()
    }
    await session.drain()
    try expect((captured == "pasted" ? ["pasted"] : ["pasted", captured]) + initial, of: session)
    #expect(log.failures.isEmpty)
  }

  @Test func `clearing the history removes earlier captures and keeps later captures`() async throws {
    let session = HistorySession.make(at: scratch.location, clipboard, lock: 120_000)
    try await scratch.whileLocked {
      // Copy several texts, which are recorded in a burst and therefore reach the list with a delay.
      for number in 1...5 {
        clipboard.offers.copy(.text(Array("before \(number)".utf8)))
        session.attention = .active
        try await waitUntil("a text read") { clipboard.offers.reads == number }
      }
      // Let the texts reach the store, which waits for the lock.
      try await Task.sleep(for: .milliseconds(50))
      session.clear()
      clipboard.offers.copy(.text(Array("after".utf8)))
      try await waitUntil("the last text read") { clipboard.offers.reads == 6 }
    }
    await session.drain()
    #expect(try await eventually { session.texts == ["after"] }, "\(session.texts)")
    try expect(["after"], of: session)
    #expect(log.failures.isEmpty)
  }

  @Test func `clearing the history removes a capture that was waiting for a lock`() async throws {
    let session = HistorySession.make(at: scratch.location, clipboard, lock: 20)
    clipboard.offers.content = .text(Array("before".utf8))
    try await scratch.whileLocked {
      session.attention = .active
      try await waitUntil("the message") { session.obstacle == .locked }
    }
    session.clear()
    await session.drain()
    try expect([], of: session)
    #expect(try await scratch.record("before") == nil)
  }
}
