import CSQLite
import Foundation
import Testing

@testable import ClipHistory

@Suite("A failure says what failed, and loses nothing")
struct FailureTests {
  let history: TemporaryHistory

  init() throws {
    history = try TemporaryHistory()
  }

  @Test func `where another program holds the file`() async throws {
    let store = try history.store(HistoryStore.LockTimeouts(lock: 20))
    try await store.add("one")
    let other = try ForeignConnection(history.location.database)
    other.run("BEGIN IMMEDIATE")
    await #expect(throws: StoreError.locked) { try await store.add("two") }
    await #expect(throws: StoreError.locked) { try await store.delete(1) }
    await #expect(throws: StoreError.locked) { try await store.noteCopied(try ClipText("two")) }
    #expect(try history.reader().count() == 1)
    other.run("COMMIT")
    try await store.add("two")
  }

  @Test func `where the disk is full`() throws {
    let session = try HistoryOpening(history.location).openShared()
    try session.connection.execute("PRAGMA max_page_count = 10")
    let large = try ClipText(String(repeating: "x", count: 100_000))
    #expect(throws: StoreError.diskFull) {
      try session.connection.transaction { () throws(StoreError) in
        _ = try session.insert(large, capturedAt: 1)
      }
    }
    let clip = try session.connection.transaction { () throws(StoreError) in
      try session.insert(try small(), capturedAt: 1)
    }
    #expect(try history.reader().newestPage(limit: 9) == [clip])
  }

  /// Above SQLite's limit, which is lowered here, nothing was written: a row that claims such a size is damaged.
  @Test func `where a row is larger than SQLite's limit`() throws {
    let session = try HistoryOpening(history.location).openShared()
    let large = try ClipText(String(repeating: "x", count: 100_000))
    let clip = try session.insert(large, capturedAt: 1)
    sqlite3_limit(session.connection.handle, SQLITE_LIMIT_LENGTH, 50_000)
    #expect(throws: StoreError.failed(code: SQLITE_TOOBIG)) { try session.insert(large, capturedAt: 2) }
    #expect(!Damage.isMarked(history.location), "it is the text that is too large")
    #expect(throws: StoreError.damaged) { try session.reading.text(of: clip.id) }
    #expect(Damage.isMarked(history.location))
  }

  private func small() throws(StoreError) -> ClipText {
    do { return try ClipText("small") } catch { throw .damaged }
  }

  @Test func `where the store is closed`() async throws {
    let store = try history.store()
    try await store.add("one")
    await store.close()
    await store.close()
    await #expect(throws: StoreError.failed(code: SQLITE_MISUSE)) { try await store.add("two") }
    await #expect(throws: StoreError.failed(code: SQLITE_MISUSE)) { try await store.delete(1) }
    await #expect(throws: StoreError.failed(code: SQLITE_MISUSE)) { try await store.text(of: 1) }
    await #expect(throws: StoreError.failed(code: SQLITE_MISUSE)) { try await store.allIDs() }
    #expect(history.files == [history.location.database], "all of it is in the one file")
  }

  private static let meanings: [(code: Int32, system: Int32, error: StoreError)] = [
    (SQLITE_FULL, 0, .diskFull),
    (SQLITE_IOERR | 3 << 8, ENOSPC, .diskFull),
    (SQLITE_IOERR | 3 << 8, EDQUOT, .diskFull),
    (SQLITE_IOERR | 3 << 8, EIO, .failed(code: 778)),
    (SQLITE_READONLY | 1 << 8, 0, .readOnly),
    (SQLITE_CORRUPT | 1 << 8, 0, .damaged),
    (SQLITE_BUSY | 1 << 8, 0, .locked),
    (SQLITE_NOTADB, 0, .damaged),
    (SQLITE_TOOBIG, 0, .damaged),
    (SQLITE_CANTOPEN, EACCES, .cannotOpen(path: "p", code: 14)),
    (SQLITE_NOMEM, 0, .failed(code: 7)),
  ]

  @Test(arguments: meanings)
  func `in the words of`(code: Int32, system: Int32, error: StoreError) {
    #expect(StoreError(code: code, system: system, path: "p") == error)
  }
}
