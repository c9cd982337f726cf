import Foundation
import GtkKit
import GtkTestSupport
import TestSupport
import Testing

@testable import ClipHistory
@testable import CopyPastaApp

/// The life of the history's file, in a session without a window.
@MainActor
@Suite(.serialized) struct SessionFileTests {
  private let scratch: Scratch
  private let clipboard = FakeClipboard(.own)
  /// The texts, newest first, too long for a preview.
  private let texts = ["three", "two", "one"].map { String(repeating: $0 + " ", count: 4000) }

  init() async throws {
    scratch = try await Scratch(texts.reversed())
    await scratch.close()
  }

  private func session(firstPageSize: Int? = 30, lock: Int32 = 2000) -> HistorySession {
    .make(at: scratch.location, clipboard, firstPageSize: firstPageSize, lock: lock)
  }

  // MARK: - Obstacles

  /// A folder in place of the recovery's file makes the recovery fail.
  @Test func `a damaged history that cannot be recovered is shown as far as it is readable`() async throws {
    let invalid = "INSERT INTO clip(captured_at, byte_count, text) VALUES (1, 1, CAST(x'ff' AS TEXT))"
    try scratch.foreign(invalid)
    HistoryFolder.markDamaged(scratch.location.database)
    let blocked = scratch.location.folder + "/rescue-unfinished.sqlite3"
    mkdir(blocked, 0o700)
    let session = session()
    let log = SessionLog(of: session)
    session.start()
    try await waitUntil("the history open") {
      session.tryAgain()
      await session.drain()
      return session.obstacle == .folderUnusable(path: scratch.location.folder, errno: EISDIR)
    }
    try await waitUntil("the notice") { session.texts.count == 3 && log.failures.contains(.unread) }
    #expect(zip(session.texts, texts).allSatisfy { $1.hasPrefix($0) })
    rmdir(blocked)
    try await session.waitUntilOpen()
    #expect(session.recovery != nil)
  }

  @Test func `a damaged file stays as it is until a window is shown`() async throws {
    try scratch.foreign("DROP TRIGGER clip_is_not_updated")
    let before = try Data(contentsOf: URL(filePath: scratch.location.database))
    let session = session(firstPageSize: nil)
    session.open(mayRecover: false)
    await session.drain()
    #expect(try !session.isOpen && Data(contentsOf: URL(filePath: scratch.location.database)) == before)
    session.open()
    try await session.waitUntilOpen()
    #expect(session.recovery != nil)
  }

  @Test(arguments: [false, true])
  func `the end of the program finishes a clear behind a recovery, but abandons a recovery that takes long`(
    isClearing: Bool
  ) async throws {
    let file = URL(filePath: scratch.location.database)
    let copy = URL(filePath: scratch.location.unfinishedRecovery.database)
    HistoryFolder.markDamaged(file.path)
    let damaged = try Data(contentsOf: file)
    var recovery: CheckedContinuation<Void, Never>?
    let session = HistorySession(
      .keepingNothing(at: scratch.location, FakeShortcut()), clipboard: clipboard,
      willRecover: { await withCheckedContinuation { recovery = $0 } })
    session.open()
    try await waitUntil("the recovery") { recovery != nil }
    try damaged.write(to: copy)
    var cleared: Result<Int, StoreError>?
    if isClearing {
      session.clear { cleared = $0 }
      recovery?.resume()
    }
    try await pumping { await session.end() }
    guard !isClearing else { return #expect(cleared == .success(3)) }
    #expect(try Data(contentsOf: file) == damaged && !FileManager.default.fileExists(atPath: copy.path))
    recovery?.resume()
    try await waitUntil("the recovery's end") { session.count == 3 }
  }

  @Test func `texts that arrive before a delayed recovery are recorded after it`() async throws {
    let session = session()
    try await session.waitUntilOpen()
    let log = SessionLog(of: session)
    var other: ClipCursor? = try ClipCursor(location: scratch.location)
    HistoryFolder.markDamaged(scratch.location.database)
    await session.store.release(because: .damaged)
    let drops = [FakeDrop("first"), FakeDrop("second")]
    drops.forEach(session.record)
    try await waitUntil("the recovery delayed") {
      // The first wait ends with the attempt to open, which queues the recovery.
      await session.drainActions()
      await session.drainActions()
      return session.state == .opening && drops.allSatisfy { $0.answers == [true] }
    }
    // Write once more between the attempt that finds the damage again and the recovery.
    session.tryAgain()
    session.intake.captures.resume()
    withExtendedLifetime(other) {}
    other = nil
    try await session.waitUntilOpen()
    #expect(session.texts.starts(with: ["second", "first"]) && session.recovery != nil)
    #expect(log.failures == [.notRecorded(.waiting(.locked))])
  }

  @Test(.tags(.resumesQuietly))
  func `when writing becomes possible again, undo, open texts and all rows stay`() async throws {
    var pending: HistoryImport? = try HistoryImport(scratch.location, at: Format.now)
    let session = session()
    let log = SessionLog(of: session)
    #expect(session.state == .open(obstacle: .locked) && session.ids.count == 3)
    session.show(session.ids[0])
    await session.drain()
    let shown = try #require(log.shown.first)
    withExtendedLifetime(pending) {}
    pending = nil
    session.delete(session.ids[1])
    await session.drain()
    #expect(session.state == .open(obstacle: nil))
    var changes = 0
    let token = session.model.changes.add { _ in changes += 1 }
    session.attention = .active
    session.attention = .hidden
    session.attention = .active
    await session.drain()
    #expect(changes == 0)
    withExtendedLifetime(token) {}
    session.copy(shown.clip.id, in: shown.file) {}
    session.undo()
    await session.drain()
    #expect(session.ids == [3, 2, 1] && log.failures.isEmpty && clipboard.offered == [texts[0]])
  }

  @Test(arguments: [Pending.copy, .cut, .delete, .show], [false, true])
  func
    `an action on an item says that it is gone if its id is another item's after an import or in another file`(
      _ action: Pending, isReplaced: Bool
    ) async throws
  {
    var pending = isReplaced ? nil : try HistoryImport(scratch.location, at: Format.now)
    let session = session()
    let log = SessionLog(of: session)
    _ = try pending?.add(ClipText(validating: Array("older".utf8)), capturedAt: Format.now - 60_000_000)
    try pending?.finish()
    pending = nil
    // The rows still have their old ids.
    let id = session.ids[1]
    if isReplaced {
      try await replace()
      session.reopen(because: .replaced)
    }
    switch action {
    case .copy: session.copy(id)
    case .cut: session.copyAndDelete(id)
    case .delete: session.delete(id)
    default: session.show(id)
    }
    session.tryAgain()
    await session.drain()
    #expect(clipboard.offered.isEmpty && log.shown.isEmpty)
    #expect(log.failures == (isReplaced ? [.notRead(.replaced)] : []) + [.gone])
    #expect(session.texts.count == (isReplaced ? 3 : 4))
    #expect(session.texts.last == (isReplaced ? "other 1" : "older"))
  }

  @Test func `a locked history opens, or can be changed, soon after the lock ends`() async throws {
    var lock = try scratch.foreign("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
    let session = session(lock: 20)
    #expect(session.state == .opening && !session.model.isOpen)
    session.attention = .shown
    session.tryAgain()
    await session.drainActions()
    #expect(session.state == .opening)
    lock.close()
    try await pump("the history open", seen: { "\(session.state)" }) { session.state == .open(obstacle: nil) }
    #expect(session.ids.count == 3)
    lock = try scratch.foreign("BEGIN IMMEDIATE")
    session.delete(session.ids[0])
    await session.drain()
    for _ in 0..<6 {
      session.tryAgain()
      await session.drainActions()
    }
    #expect(session.obstacle == .locked)
    lock.close()
    let start = ContinuousClock.now
    try await pump("writing possible") { session.state == .open(obstacle: nil) }
    // The delay does not grow: after six attempts it would be 32 s. Other suites keep the main thread busy.
    #expect(.now - start < .seconds(8))
  }

  @Test(.tags(.worksWithoutWriting), arguments: [true, false])
  func `writing is tried again on a disk that was full while a window is shown`(isCopy: Bool) async throws {
    let session = session()
    let log = SessionLog(of: session)
    session.start()
    await session.drain()
    session.attention = .shown
    if isCopy {
      session.show([Capture(way: .copied, outcome: .waiting(.diskFull))])
    } else {
      session.report(.diskFull, as: .notDeleted(.diskFull))
    }
    #expect(session.obstacle == .diskFull && log.failures.isEmpty == isCopy)
    try await pump("the end of the obstacle") { session.obstacle == nil }
  }

  @Test func `each action that fails because the file was replaced is reported`() async throws {
    let session = session()
    let log = SessionLog(of: session)
    try await replace()
    for id in session.ids.prefix(2) { session.delete(id) }
    session.clear()
    await session.drain()
    #expect(
      log.failures == [.notDeleted(.replaced), .notDeleted(.replaced), .notCleared(.replaced)])
    #expect(session.texts == ["other 3", "other 2", "other 1"])
  }

  /// The list is read again as soon as a lock ends, while the user continues.
  @Test func `a row deleted while the list is read again does not come back`() async throws {
    let session = session(lock: 20)
    let lock = try scratch.foreign("BEGIN IMMEDIATE")
    session.delete(session.ids[2])
    await session.drain()
    #expect(session.obstacle == .locked)
    lock.close()
    session.tryAgain()
    session.delete(session.ids[1])
    await session.drain()
    #expect(session.ids == [3, 1] && session.state == .open(obstacle: nil))
  }

  /// Nothing tries again while no window is shown.
  @Test func `looking for expired items opens a locked history, even in a hidden program`() async throws {
    let lock = try scratch.foreign("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE")
    let session = session(lock: 20)
    #expect(session.attention == .hidden && session.state != .open(obstacle: nil))
    lock.close()
    #expect(try await session.expired(after: .day) == nil)
  }

  @Test func `a full text's Copy has no effect on the file that replaces the text's file`() async throws {
    let session = session()
    let log = SessionLog(of: session)
    session.show(session.ids[1])
    await session.drain()
    let shown = try #require(log.shown.first)
    try await replace()
    session.reopen(because: .replaced)
    await session.drain()
    session.copy(shown.clip.id, in: shown.file) {}
    await session.drain()
    #expect(clipboard.offered.isEmpty && log.failures == [.notRead(.replaced), .gone])
  }

  // MARK: - Other files

  @Test func `a part of a text can be copied while the history is unavailable`() async throws {
    let session = HistorySession.make(at: HistoryLocation(folder: "/proc/none"), clipboard)
    let log = SessionLog(of: session)
    guard case .unavailable = session.state else { return #expect(Bool(false), "\(session.state)") }
    session.copy(part: Array("part".utf8))
    await session.drain()
    #expect(clipboard.offered == ["part"])
    session.copy(1)
    session.paste()
    await session.drain()
    #expect(log.failures.count == 2 && log.failures.allSatisfy { !$0.message.isEmpty })
  }

  @Test func `loading the rest of the list is tried again after a failure`() async throws {
    let session = session(firstPageSize: 1)
    let log = SessionLog(of: session)
    await session.store.release(because: .locked)
    session.start()
    await session.drainRetention()
    #expect(session.ids.count == 1 && log.failures == [.notRead(.locked)])
    _ = await session.store.open()
    session.attention = .active
    await session.drainRetention()
    #expect(session.ids.count == 3)
  }

  /// What is open while something happens to the file.
  enum Pending: CaseIterable, Sendable {
    case show, fullText, part, copy, cut, delete, undo, clear, paste, question
  }

  /// What happens to the file.
  enum Fault: CaseIterable, Sendable { case replaced, deleted, locked, damaged }

  @Test(arguments: Pending.allCases, Fault.allCases)
  func `an action affects no other item if the file is replaced, deleted, locked or damaged`(
    _ pending: Pending, _ fault: Fault
  ) async throws {
    let session = HistorySession.make(
      at: scratch.location, clipboard, now: { Format.now + 40 * 86_400_000_000 }, lock: 20)
    let log = SessionLog(of: session)
    session.start()
    // Another test's new process may hold the folder's lock for a moment, as a copy.
    try await session.waitUntilOpen()
    session.show(session.ids[1])
    await session.drain()
    let id = session.ids[1]
    if pending == .undo { session.delete(id) }
    await session.drain()
    let shown = try #require(log.shown.first)
    let expired = pending == .question ? try await session.expired(after: .day) : nil
    clipboard.resultOnPurpose = .success(.text("pasted"))

    var lock: ForeignConnection?
    switch fault {
    case .replaced: try await replace()
    case .deleted: try FileManager.default.removeItem(atPath: scratch.location.folder)
    case .locked: lock = try scratch.foreign("BEGIN IMMEDIATE")
    case .damaged: try damage()
    }
    var isDone = false
    switch pending {
    case .show: session.show(id)
    case .fullText: session.copy(shown.clip.id, in: shown.file) { isDone = true }
    case .part: session.copy(part: Array("two".utf8)) { isDone = true }
    case .copy: session.copy(id)
    case .cut: session.copyAndDelete(id)
    case .delete: session.delete(id)
    case .undo: session.undo()
    case .clear: session.clear()
    case .paste: session.paste()
    case .question: session.delete(try #require(expired))
    }
    await session.drainRetention()
    if lock == nil { await session.drain() }
    // The user looks at another item, whose page is damaged, too.
    if fault == .damaged, let id = session.ids.first { session.show(id) }
    await session.drainActions()
    if fault == .locked, pending == .undo { #expect(session.deletions.isHeld) }
    lock?.close()
    try await session.waitUntilOpen()

    #expect(Set(clipboard.offered).isSubset(of: [texts[1], "two"]), "a wrong item")
    let isReported = log.events.contains {
      switch $0 {
      case .failed(let failure): !failure.message.isEmpty
      case .done, .added: true
      default: false
      }
    }
    let wasTold = isReported || session.recovery != nil
    #expect(
      wasTold || isDone || [.show, .clear, .question].contains(pending), "\(log.events.count) events")
    if fault != .damaged {
      #expect(log.shown.allSatisfy { $0.text.bytes.elementsEqual(texts[1].utf8) }, "a wrong text")
    }
    let left = try HistoryReader(location: scratch.location).newestPage(limit: 99).map(\.preview)
    let other = ["other 3", "other 2", "other 1"]
    #expect(session.texts == left)
    if fault == .replaced { #expect(left == (pending == .paste ? ["pasted"] : []) + other) }
    if fault == .locked {
      if pending != .paste { #expect(left.count == (pending == .undo ? 2 : 3)) }
      if [.copy, .part, .fullText].contains(pending) { #expect(isDone || clipboard.offered == [texts[1]]) }
      let refusals: [Pending: HistoryFailure] = [
        .delete: .notDeleted(.locked), .undo: .notRestored(.locked), .clear: .notCleared(.locked),
      ]
      if let refusal = refusals[pending] { #expect(log.failures.contains(refusal)) }
      // What could not be undone can be undone later.
      if pending == .undo { session.undo() }
      await session.drain()
      if pending == .undo { #expect(session.count == 3 && session.deletions.count == 0) }
    }
  }

  @Test func `texts that arrive before a replaced file is noticed are in the new file`() async throws {
    let session = session()
    let log = SessionLog(of: session)
    session.attention = .active
    try await waitUntil("the first read") { clipboard.reads == 1 }
    try await replace()
    let drop = FakeDrop("dropped")
    session.record(drop)
    try await waitUntil("the drop read") { drop.answers == [true] }
    let reads = clipboard.reads
    clipboard.copy(.text("copied"))
    try await waitUntil("the copy read") { clipboard.reads > reads }
    await session.drain()
    let left = try HistoryReader(location: scratch.location).newestPage(limit: 99).map(\.preview)
    #expect(left == ["copied", "dropped", "other 3", "other 2", "other 1"])
    #expect(log.failures == [.notRead(.replaced)] && log.additions == 1)
  }

  /// Puts a history with the same ids in place.
  private func replace() async throws {
    let other = try await Scratch("other 1", "other 2", "other 3")
    await other.close()
    for path in [scratch.location.database, scratch.location.wal, scratch.location.walIndex] {
      try? FileManager.default.removeItem(atPath: path)
    }
    try FileManager.default.moveItem(atPath: other.location.database, toPath: scratch.location.database)
  }

  /// Overwrites the texts' pages, which the list does not read.
  private func damage() throws {
    let lock = try scratch.foreign("PRAGMA wal_checkpoint(TRUNCATE)")
    lock.close()
    let file = try #require(FileHandle(forUpdatingAtPath: scratch.location.database))
    let size = Int(try file.seekToEnd())
    try file.seek(toOffset: UInt64(size / 2))
    try file.write(contentsOf: [UInt8](repeating: 0xFF, count: size - size / 2))
    try file.close()
  }
}
