import ClipboardCore
import GtkKit
import GtkTestSupport
import TestSupport
import Testing

@testable import ClipHistory
@testable import CopyPastaApp

/// Pasting and dropping, and actions that overlap.
extension HistorySessionTests {
  /// Makes the window active while the clipboard has no text.
  private func activate() {
    clipboard.content = .noText
    session.attention = .active
  }

  /// Pastes a text that arrives once `stallsOnPurpose` is false.
  private func startPaste(of text: String) async throws {
    clipboard.stallsOnPurpose = true
    clipboard.resultOnPurpose = .success(.text(text))
    session.paste()
    try await waitUntil("the read") { clipboard.readsOnPurpose.count == 1 }
  }

  @Test(arguments: [("three", ["three", "two", "one"]), ("one", ["one", "three", "two", "one"])])
  func `a text pasted twice is recorded once unless its row was deleted, and its row gets the focus`(
    text: String, texts: [String]
  )
    async throws
  {
    for _ in 1...2 { await paste(.text(text)) }
    try expect(texts)
    session.delete(session.ids[0])
    await paste(.text(text))
    try expect(texts)
    #expect(log.additions == 3 && log.failures.isEmpty)
  }

  @Test(
    arguments: [
      .success(.noText), .success(.secret), .success(.text([])), .success(.text([0xFF])),
      .success(.text([0x61, 0x00, 0x62])), .failure(.timedOut), .failure(.ownerGone), .failure(.refused),
      .failure(.tooLarge(limit: 1 << 20)), .failure(.unavailable),
    ] as [Result<ClipboardContent, TransferError>])
  func `a paste or drop of content that is invalid or cannot be read shows an error`(
    result: Result<ClipboardContent, TransferError>
  ) async throws {
    clipboard.resultOnPurpose = result
    session.paste()
    await session.drain()
    let secrets = log.secrets
    let drop = FakeDrop(result)
    session.record(drop)
    await session.drain()
    try expect(initial)
    #expect(log.failures.count == 2 && log.failures.allSatisfy { !$0.message.isEmpty })
    if case .failure(let error) = result {
      #expect(log.failures.allSatisfy { $0 == .notRecorded(.unread(error)) })
    }
    let isText = if case .success(.text) = result { true } else { false }
    #expect(log.additions == 0 && drop.answers == [isText])
    #expect(log.secrets == secrets, "the clipboard holds no dropped secret")
  }

  @Test(arguments: [.text("three"), .text("next"), .text([0xFF]), nil] as [ClipboardContent?])
  func `a skipped secret is reported until any next text arrives or the clipboard is emptied`(
    next: ClipboardContent?
  ) async throws {
    clipboard.copy(.secret)
    session.attention = .active
    try await pump("the indicator showing the secret") { log.secrets.last == true }
    if let next { clipboard.copy(next) } else { clipboard.change() }
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
    activate()
    try await startPaste(of: "never")
    for _ in 1...2 { session.paste() }
    // The window that stays active is paused.
    if attention == .active { session.services.pause.isPaused = true }
    session.attention = attention
    #expect(log.failures == [.notRecorded(.unread(.cancelled))])
    clipboard.stallsOnPurpose = false
    await session.drain()
    #expect(clipboard.readsOnPurpose.count == 1 && log.failures.count == 1)
    try expect(initial)
  }

  @Test(.tags(.pastesWhatWasThere))
  func `a paste requests nothing if its offer was replaced or its window left`() async throws {
    clipboard.resultOnPurpose = .success(.text("never"))
    activate()
    session.paste()
    clipboard.copy(.noText)
    await session.drain()
    session.paste()
    session.attention = .shown
    await session.drain()
    #expect(clipboard.readsOnPurpose == [])
    #expect(log.failures.count == 2 && log.failures.allSatisfy { $0 == .notRecorded(.unread(.cancelled)) })
    // Nothing is read in the background, and during a pause only what is pasted.
    let reads = clipboard.reads
    clipboard.copy(.noText)
    session.services.pause.isPaused = true
    session.attention = .active
    await paste(.text("wanted"))
    try expect(["wanted"] + initial)
    #expect(clipboard.reads == reads)
  }

  /// On X11 nothing counts the offers while reading is paused.
  @Test(.tags(.pastesWhatWasThere)) func `a paste during a pause is read before the actions in progress end`()
    async throws
  {
    clipboard.content = .noText
    session.services.pause.isPaused = true
    session.attention = .active
    clipboard.resultOnPurpose = .success(.text("meant"))
    let action = session.queue.block()
    session.paste()
    try await waitUntil("the read") { clipboard.readsOnPurpose.count == 1 }
    clipboard.resultOnPurpose = .success(.text("later"))
    action.finish()
    await session.drain()
    try expect(["meant"] + initial)
    #expect(clipboard.readsOnPurpose.count == 1)
  }

  @Test(arguments: [(false, ["dropped", "three"]), (true, ["three"])])
  func `a drop does not need the focus, but is cancelled when the window is hidden`(
    isHidden: Bool, texts: [String]
  ) async throws {
    activate()
    let drop = FakeDrop(nil)
    session.record(drop)
    session.attention = isHidden ? .hidden : .shown
    drop.answer(.success(.text("dropped")))
    await session.drain()
    try expect(texts + initial.dropFirst())
    // Draining does not wait for a drop that was withdrawn.
    #expect(try await eventually { drop.answers == [!isHidden] })
    #expect(log.failures.count == (isHidden ? 1 : 0))
    // The text on the clipboard is still the last captured one, and a copy of the dropped text adds no row.
    #expect(try await scratch.record("three") == nil)
    if !isHidden { #expect(try await scratch.record("dropped") == nil) }
  }

  @Test func `a drop that waits holds up neither captures nor other drops`() async throws {
    activate()
    let slow = FakeDrop(nil)
    session.record(slow)
    clipboard.copy(.text("captured"))
    // In a burst, a text arrives with a timer of the main loop.
    try await pump("the capture") { session.texts.first == "captured" }
    session.record(FakeDrop("dropped"))
    try await pump("the other drop") { session.texts.first == "dropped" }
    slow.answer(.failure(.timedOut))
    await session.drain()
    #expect(slow.answers == [false] && log.failures == [.notRecorded(.unread(.timedOut))])
  }

  // MARK: - Concurrent actions

  @Test func `history actions that are requested together run in order`() async throws {
    session.copy(ids[1])
    session.delete(ids[1])
    session.copy(ids[1])
    session.undo()
    session.copy(ids[1])
    await session.drain()
    #expect(clipboard.offered == ["two", "two"])
    #expect(log.failures == [.gone])
    try expect(initial)
  }

  @Test func `pasting right after cutting records the cut text`() async throws {
    clipboard.resultOnPurpose = .success(.own)
    session.copyAndDelete(ids[2])
    session.paste()
    await session.drain()
    try expect(["one", "three", "two"])
  }

  /// A selection owner may take as long as the transfer limits allow.
  @Test func `a paste that waits for its text does not delay other actions`() async throws {
    try await startPaste(of: "late")
    session.copy(ids[0])
    session.delete(ids[1])
    #expect(try await eventually { try scratch.texts() == ["three", "one"] })
    #expect(clipboard.offered == ["three"])
    clipboard.stallsOnPurpose = false
    await session.drain()
    try expect(["late", "three", "one"])
  }

  @Test(arguments: ["captured", "pasted"])
  func `a paste during a capture is recorded after it, without a duplicate`(captured: String) async throws {
    let session = HistorySession.make(at: scratch.location, clipboard, lock: 120_000)
    clipboard.content = .text(captured)
    clipboard.resultOnPurpose = .success(.text("pasted"))
    try await scratch.whileLocked {
      session.attention = .active
      try await waitUntil("the text read") { clipboard.reads == 1 }
      await withCheckedContinuation { delivered in clipboard.afterRead { delivered.resume() } }
      session.paste()
    }
    await session.drain()
    try expect((captured == "pasted" ? ["pasted"] : ["pasted", captured]) + initial, of: session)
    #expect(log.failures.isEmpty)
  }

  /// A password, for which the user has made the pause.
  @Test(.tags(.recordsNoPause))
  func `the text at the end of a pause is not recorded, but the next copy and a paste`() async throws {
    for isActive in [true, false] {
      clipboard.content = .text("three")
      session.attention = .active
      session.services.pause.isPaused = true
      clipboard.copy(.text("secret"))
      if !isActive { session.attention = .hidden }
      session.services.pause.isPaused = false
      session.attention = .active
      await session.drain()
      // Another activation finds the same text.
      session.attention = .shown
      session.attention = .active
      await session.drain()
      try expect(initial)
    }
    clipboard.copy(.text("secret"))
    await session.drain()
    try expect(["secret"] + initial)
    session.services.pause.isPaused = true
    clipboard.copy(.text("other"))
    session.services.pause.isPaused = false
    await session.drain()
    await paste(.text("other"))
    try expect(["other", "secret"] + initial)
  }

  /// The owner may not answer at the end of the pause, or its answer may arrive at another activation.
  @Test(.tags(.recordsNoPause), arguments: [true, false])
  func `the text at the end of a pause is not recorded even if it is read late`(isAnswered: Bool) async throws
  {
    clipboard.isWatchable = true
    session.attention = .active
    session.services.pause.isPaused = true
    clipboard.copy(nil)
    if !isAnswered { clipboard.readFailure = .timedOut }
    session.services.pause.isPaused = false
    if isAnswered { try await waitUntil("the read") { clipboard.isWaiting } } else { await session.drain() }
    session.attention = .shown
    clipboard.readFailure = nil
    clipboard.content = .text("secret")
    session.attention = .active
    clipboard.answer(.text("secret"))
    await session.drain()
    try expect(initial)
    clipboard.copy(.text("next"))
    await session.drain()
    try expect(["next"] + initial)
  }

  @Test func `the copy after a secret at the end of a pause is recorded`() async throws {
    session.attention = .active
    session.services.pause.isPaused = true
    clipboard.copy(.secret)
    session.services.pause.isPaused = false
    await session.drain()
    session.attention = .shown
    clipboard.copy(.text("next"))
    session.attention = .active
    await session.drain()
    try expect(["next"] + initial)
  }

  @Test(arguments: ["noticed", "unnoticed", "read", "copied row"])
  func `a text from the end of a pause is recorded if it is copied again after something else`(
    between: String
  ) async throws {
    clipboard.isWatchable = between == "noticed"
    session.attention = .active
    session.services.pause.isPaused = true
    clipboard.copy(.text("secret"))
    session.services.pause.isPaused = false
    await session.drain()
    session.attention = .shown
    switch between {
    case "read":
      clipboard.copy(.text("other"))
      session.attention = .active
      await session.drain()
      session.attention = .shown
    case "copied row":
      session.copy(session.ids[0])
      await session.drain()
    default: break
    }
    clipboard.copy(.text("secret"))
    session.attention = .active
    await session.drain()
    let recorded = between == "read" ? ["secret", "other"] : between == "unnoticed" ? [] : ["secret"]
    try expect(recorded + initial)
  }

  /// Only X11 reports a change of the clipboard to a window without the focus.
  @Test(arguments: [true, false])
  func `a text copied after a pause has ended in the background is recorded, if the copy is noticed`(
    isNoticed: Bool
  ) async throws {
    clipboard.isWatchable = isNoticed
    session.services.pause.isPaused = true
    clipboard.copy(.text("secret"))
    session.services.pause.isPaused = false
    clipboard.copy(.text("next"))
    session.attention = .active
    await session.drain()
    try expect((isNoticed ? ["next"] : []) + initial)
    // Nothing has changed since this pause ended.
    session.attention = .hidden
    session.services.pause.isPaused = true
    clipboard.copy(.text("secret"))
    session.services.pause.isPaused = false
    session.attention = .active
    await session.drain()
    try expect((isNoticed ? ["next"] : []) + initial)
  }

  @Test func `nothing is being recorded while the desktop cannot be reached`() async throws {
    clipboard.readFailure = .unavailable
    session.attention = .active
    try await pump("the failure") { log.failures == [.notRecorded(.unread(.unavailable))] }
    #expect(!session.isReading)
    clipboard.readFailure = nil
    clipboard.content = .own
    session.attention = .shown
    session.attention = .active
    #expect(session.isReading)
    await session.drain()
  }

  @Test func `a paste about whose offer nothing is known any more changes no fingerprint`() async throws {
    activate()
    try await startPaste(of: "slow")
    session.copy(ids[2])
    await session.drainActions()
    clipboard.stallsOnPurpose = false
    await session.drain()
    try expect(["slow"] + initial)
    // A clipboard manager takes over the row's text and offers it again.
    clipboard.lose()
    clipboard.copy(.text("one"))
    await session.drain()
    try expect(["slow"] + initial)
  }

  @Test func `a paste records no row that is copied after the press`() async throws {
    clipboard.resultOnPurpose = .success(.text("meant"))
    let action = session.queue.block()
    session.paste()
    session.copy(ids[2])
    action.finish()
    await session.drain()
    try expect(["meant"] + initial)
  }

  @Test func `a paste can be ended, and continues while the history is opened again`() async throws {
    #expect(!session.cancelPaste())
    activate()
    try await startPaste(of: "slow")
    session.reopen(because: .replaced)
    await session.drainActions()
    #expect(log.failures == [.notRead(.replaced)])
    #expect(session.cancelPaste() && !session.cancelPaste())
    #expect(log.failures == [.notRead(.replaced), .notRecorded(.unread(.cancelled))])
    clipboard.stallsOnPurpose = false
    await session.drain()
    try expect(initial)
  }

  @Test func `clearing the history removes earlier captures and keeps later captures`() async throws {
    let session = HistorySession.make(at: scratch.location, clipboard, lock: 120_000)
    try await scratch.whileLocked {
      // Copy several texts, which are recorded in a burst and therefore reach the list with a delay.
      for number in 1...5 {
        clipboard.copy(.text("before \(number)"))
        session.attention = .active
        try await waitUntil("a text read") { clipboard.reads == number }
      }
      // Let the texts reach the store, which waits for the lock.
      try await Task.sleep(for: .milliseconds(50))
      session.clear()
      clipboard.copy(.text("after"))
      try await waitUntil("the last text read") { clipboard.reads == 6 }
    }
    await session.drain()
    #expect(try await eventually { session.texts == ["after"] }, "\(session.texts)")
    try expect(["after"], of: session)
    #expect(log.failures.isEmpty)
  }

  @Test func `clearing the history removes a capture that was waiting for a lock`() async throws {
    let session = HistorySession.make(at: scratch.location, clipboard, lock: 20)
    clipboard.content = .text("before")
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
