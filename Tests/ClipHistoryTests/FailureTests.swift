import CSQLite
import Foundation
import TestSupport
import Testing

@testable import ClipHistory

struct FailureTests {
  let history = TemporaryHistory()

  @Test func `while another program locks the history, writes throw and change nothing`() async throws {
    let store = try history.store(HistoryStore.LockTimeouts(lock: 20))
    try await store.add("one")
    let expired = try #require(
      try await store.findExpired(after: .day, at: .now(wallTime: 1_700_000_000_000_000)))
    let other = try history.foreign()
    other.run("BEGIN IMMEDIATE")
    await #expect(throws: StoreError.locked) { try await store.add("two") }
    await #expect(throws: StoreError.locked) { try await store.delete(1) }
    await #expect(throws: StoreError.locked) { try await store.deleteAll() }
    await #expect(throws: StoreError.locked) { try await store.delete(expired) { _ in true } }
    await #expect(throws: StoreError.locked) { try await store.setLastCaptured(try ClipText("two")) }
    #expect(try history.previews() == ["one"])
    other.run("COMMIT")
    try await store.add("two")
  }

  enum Change: CaseIterable, Sendable { case capture, deletion, undo, clear }

  /// If only the sync fails, the log contains the whole transaction.
  @Test(arguments: Change.allCases)
  func `a change that could not be synced to disk is not there after a crash`(_ change: Change) async throws {
    let store = try history.store()
    try await store.add("deleted")
    let deleted = try #require(try await store.delete(1))
    try await store.add("one")
    try await FileCalls.observe(history.location.folder, kinds: [.sync]) {
      $0.number == 1 ? EIO : 0
    } during: {
      await #expect(throws: StoreError.failed(code: SQLITE_IOERR | 4 << 8)) {
        switch change {
        case .capture: try await store.add("Xq7!failed")
        case .deletion: try await store.delete(2)
        case .undo: try await store.restore(deleted)
        case .clear: try await store.deleteAll()
        }
      }
    }
    let crashed = try history.snapshot()
    #expect(try crashed.previews() == ["one"] && !crashed.contains("Xq7!failed"))
    try await store.add("next")
    #expect(try history.previews() == ["next", "one"])
    await store.close()
  }

  /// Writes a row, then lowers SQLite's size limit below the size of that row.
  ///
  /// SQLite writes no row above its limit, so a stored row above the limit must be damaged.
  @Test func `a row above SQLite's size limit counts as damaged, and writing such a row fails`() throws {
    let session = try HistoryOpener(history.location).openShared()
    let large = try ClipText(String(repeating: "x", count: 100_000))
    let clip = try session.insert(large, capturedAt: 1)
    sqlite3_limit(session.database.handle, SQLITE_LIMIT_LENGTH, 50_000)
    #expect(throws: StoreError.failed(code: SQLITE_TOOBIG)) { try session.insert(large, capturedAt: 2) }
    #expect(try !history.isMarked(), "it is the text that is too large")
    #expect(throws: StoreError.damaged) { try session.reads.text(of: clip.id) }
    #expect(try history.isMarked())
  }

  /// SQLite adds a page's size to this row's size in 32 bits, and then fails to allocate 0 bytes.
  @Test func `SQLite's out-of-memory error for a damaged row size counts as damage`() async throws {
    try await history.record((1...3).map { "row \($0) " + String(repeating: "x", count: 900) })
    let row = try history.rowPlaces()[2]
    try history.damage { bytes in
      let start = (row.page - 1) * 4096 + row.offset
      // The size of the row, its id, and the size of its header.
      let changed = Data([0x8f, 0xff, 0xff, 0xff, 0x7f, 3, bytes[start + 3] + 10])
      let cell = changed + bytes[start + 4..<start + 30]
      bytes.replaceSubrange(start..<start + cell.count, with: cell)
    }
    let store = try history.store()
    await #expect(throws: StoreError.damaged) { try await store.text(of: 3) }
    #expect(try history.isMarked())
    await store.close()
    #expect(try await history.recovered().clipCount == 2)
  }

  /// If the folder's entry is not on disk, a power cut removes the folder and its files.
  @Test func `opening a history throws if its folder's entry cannot be synced to disk`() async throws {
    let parent = URL(filePath: history.location.folder).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
    try await FileCalls.observe(parent.path, kinds: [.sync]) { _ in
      EIO
    } during: {
      #expect(throws: StoreError.folderUnusable(path: parent.path, errno: EIO)) { try history.store() }
    }
  }

  @Test func `after a history store is closed, its methods throw and no log is left`() async throws {
    let store = try history.store()
    try await store.add("one")
    await store.close()
    await store.close()
    let error = StoreError.failed(code: SQLITE_MISUSE)
    await #expect(throws: error) { try await store.add("two") }
    await #expect(throws: error) { try await store.delete(1) }
    await #expect(throws: error) { try await store.text(of: 1) }
    await #expect(throws: error) { try await store.allIDs() }
    #expect(history.files == [history.location.database], "all of it is in the one file")
  }

  private static let meanings: [(code: Int32, system: Int32, error: StoreError)] = [
    (SQLITE_FULL, 0, .diskFull), (SQLITE_IOERR | 3 << 8, ENOSPC, .diskFull),
    (SQLITE_IOERR | 3 << 8, EDQUOT, .diskFull), (SQLITE_IOERR | 3 << 8, EIO, .failed(code: 778)),
    (SQLITE_IOERR | 21 << 8, EIO, .failed(code: 5386)),
    (SQLITE_IOERR | 21 << 8, ENODEV, .noSharedMemory(path: "p")),
    (SQLITE_IOERR | 15 << 8, EPERM, .noLocks(path: "p")),
    (SQLITE_READONLY | 1 << 8, 0, .readOnly), (SQLITE_CORRUPT | 1 << 8, 0, .damaged),
    (SQLITE_BUSY | 1 << 8, 0, .locked), (SQLITE_NOTADB, 0, .damaged), (SQLITE_TOOBIG, 0, .damaged),
    (SQLITE_CANTOPEN, ENOSPC, .diskFull), (SQLITE_BUSY, ENOLCK, .noLocks(path: "p")),
    (SQLITE_CANTOPEN, EACCES, .cannotOpen(path: "p", code: 14)), (SQLITE_NOMEM, 0, .failed(code: 7)),
  ]

  @Test(arguments: meanings)
  func `each SQLite result code maps to its store error`(code: Int32, system: Int32, error: StoreError) {
    #expect(StoreError(code: code, system: system, path: "p") == error)
  }
}
