import ClipboardCore
import GtkKit
import TestSupport
import Testing

@testable import ClipHistory
@testable import CopyPastaApp

/// The sign on the row whose text is on the clipboard, for which the clipboard is not read.
@MainActor
@Suite(.serialized) struct OnClipboardTests {
  private let scratch: Scratch
  private let clipboard = FakeClipboard()
  private let session: HistorySession

  init() async throws {
    scratch = try await Scratch("one", "two")
    session = .make(at: scratch.location, clipboard)
  }

  /// Simulates a copy in another program, and waits until the outcome of the copy has arrived.
  private func copyElsewhere(_ content: ClipboardContent) async throws {
    let reads = clipboard.reads
    clipboard.copy(content)
    try await waitUntil("the read") { clipboard.reads > reads }
    await session.drain()
  }

  private func startReading() async throws {
    clipboard.content = .own
    session.attention = .active
    try await waitUntil("the first read") { clipboard.reads == 1 }
  }

  @Test(.tags(.marksClipboard)) func `a copied row is marked until another program takes the clipboard`()
    async throws
  {
    #expect(session.onClipboard == nil)
    session.copy(session.ids[1])
    await session.drain()
    #expect(session.onClipboard == session.ids[1])
    // Nothing was read for the mark, and it stays while the window is inactive.
    #expect(clipboard.reads == 0 && clipboard.readsOnPurpose.isEmpty)
    try await startReading()
    session.attention = .hidden
    #expect(session.onClipboard == session.ids[1])
    clipboard.lose()
    #expect(session.onClipboard == nil)
    // What another program offers has no sign.
    session.attention = .active
    try await copyElsewhere(.text("three"))
    #expect(session.texts == ["three", "two", "one"] && session.onClipboard == nil)
  }

  @Test func `copying a command unmarks the row, and the command is never recorded`() async throws {
    try await startReading()
    session.copy(session.ids[1])
    await session.drain()
    #expect(await session.copy(command: "copypasta --toggle") == nil)
    #expect(session.onClipboard == nil && clipboard.offered.last == "copypasta --toggle")
    clipboard.lose()
    try await copyElsewhere(.text("copypasta --toggle"))
    #expect(session.texts == ["two", "one"])
  }

  @Test func `a skipped secret is not reported any more once a row is copied`() async throws {
    let log = SessionLog(of: session)
    try await startReading()
    try await copyElsewhere(.secret)
    #expect(session.clipboardState == .secret)
    session.copy(session.ids[1])
    await session.drain()
    #expect(session.clipboardState == .item(session.ids[1]) && log.secrets == [true, false])
    clipboard.ownOffer = nil
    #expect(session.clipboardState == .unknown)
  }

  @Test func `a second secret does not end the report of the first`() async throws {
    let log = SessionLog(of: session)
    try await startReading()
    for _ in 1...2 { try await copyElsewhere(.secret) }
    #expect(log.secrets == [true])
    clipboard.change()
    #expect(log.secrets == [true, false])
  }

  @Test func `a skipped secret is not reported again by the next text, however slow that is`() async throws {
    var reports = 0
    let token = session.events.add { [session] event in
      if case .clipboardChanged = event, session.clipboardState == .secret { reports += 1 }
    }
    try await startReading()
    try await copyElsewhere(.secret)
    clipboard.copy(nil)
    try await waitUntil("the read") { clipboard.isWaiting }
    clipboard.answer(.text("three"))
    await session.drain()
    #expect(reports == 1 && session.clipboardState == .unknown && session.texts.first == "three")
    withExtendedLifetime(token) {}
  }

  @Test func `the sign stays after a paste that adds nothing`() async throws {
    try await startReading()
    session.copy(session.ids[0])
    session.paste()
    await session.drain()
    #expect(session.texts == ["two", "one"] && session.onClipboard == session.ids[0])
  }

  @Test func `a skipped secret is reported while a copied row waits for a lock`() async throws {
    let session = HistorySession.make(at: scratch.location, clipboard, lock: 20)
    let log = SessionLog(of: session)
    clipboard.content = .own
    session.attention = .active
    try await scratch.whileLocked {
      session.copy(session.ids[1])
      await session.drainActions()
      clipboard.lose()
      clipboard.copy(.secret)
      try await waitUntil("the secret reported") { log.secrets.last == true }
    }
  }

  @Test func `a secret that has left the clipboard is not reported later`() async throws {
    let log = SessionLog(of: session)
    try await startReading()
    let action = session.queue.block()
    clipboard.copy(.text("three"))
    try await waitUntil("the text read") { clipboard.reads == 2 }
    clipboard.copy(.secret)
    try await waitUntil("the secret read") { clipboard.reads == 3 }
    clipboard.change()
    action.finish()
    await session.drain()
    #expect(session.texts.first == "three" && !log.secrets.contains(true))
  }

  /// The earlier read is a paste if `content` is nil.
  @Test(arguments: [.text("three"), .noText, .secret, .text([0xff]), nil] as [ClipboardContent?])
  func `a copied row stays marked as on the clipboard when an earlier read or paste ends`(
    content: ClipboardContent?
  ) async throws {
    try await startReading()
    clipboard.resultOnPurpose = .success(.text("three"))
    clipboard.stallsOnPurpose = true
    if content == nil { session.paste() } else { clipboard.copy(nil) }
    try await waitUntil("a read") { clipboard.isWaiting || clipboard.readsOnPurpose.count == 1 }
    let id = session.ids[1]
    session.copy(id)
    try await waitUntil("the copy") { session.onClipboard == id }
    if let content { clipboard.answer(content) }
    clipboard.stallsOnPurpose = false
    await session.drain()
    let isRecorded = content == nil || content == .text("three")
    #expect(session.texts == (isRecorded ? ["three"] : []) + ["two", "one"])
    #expect(session.onClipboard == id)
  }

  @Test func `copying a part of a text marks no row; pasting it in a pause marks the new row`() async throws {
    try await startReading()
    session.services.pause.isPaused = true
    session.copy(session.ids[0])
    session.copy(part: Array("tw".utf8))
    await session.drain()
    #expect(session.onClipboard == nil)
    clipboard.resultOnPurpose = .success(.own)
    session.paste()
    await session.drain()
    #expect(session.texts == ["tw", "two", "one"])
    #expect(session.onClipboard == session.ids[0])
  }
}
