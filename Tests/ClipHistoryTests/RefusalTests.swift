import Foundation
import Testing

@testable import ClipHistory

struct RefusalTests {
  let history = TemporaryHistory()

  private func expectRefusal(_ error: StoreError, of history: TemporaryHistory) async throws {
    // Reading may add an empty log.
    func bytes() -> [Data] {
      [history.location.database, history.location.wal].map {
        (try? Data(contentsOf: URL(filePath: $0))) ?? Data()
      }
    }
    let before = bytes()
    #expect(throws: error) { try history.store() }
    await #expect(throws: error) { try await HistoryRecovery().recover(history.location) }
    #expect(bytes() == before)
    #expect(try !history.isMarked())
  }

  @Test(arguments: ["CREATE TABLE bookmarks(url TEXT)", "PRAGMA application_id = 7"])
  func `another program's database is refused and left unchanged`(sql: String) async throws {
    try history.plant(Data())
    try history.run(sql)
    #expect(throws: StoreError.foreign) { try history.reader() }
    try await expectRefusal(.foreign, of: history)
  }

  @Test func `a newer version's history is readable if it still has the columns, and is not changed`()
    async throws
  {
    try await history.record("one")
    try history.run("PRAGMA user_version = 99; ALTER TABLE clip ADD COLUMN later INTEGER")
    let error = StoreError.newerSchema(found: 99, known: Schema.version)
    let store = try history.store()
    #expect(store.initialAccess.obstacle == error)
    await #expect(throws: error) { try await store.add("two") }
    #expect(try await store.text(of: 1) == ClipText("one"))
    #expect(try ClipCursor(location: history.location).next()?.text == ClipText("one"))
    #expect(throws: error) { try HistoryCheck(history.location) }
    await store.close()
    try history.run("ALTER TABLE clip RENAME COLUMN text TO words")
    #expect(throws: error) { try history.store() }
    #expect(throws: error) { try ClipCursor(location: history.location) }
    #expect(try !history.isMarked())
  }

  @Test(arguments: [true, false])
  func `a newer version's history, with or without a log, is refused and left unchanged`(hasLog: Bool)
    async throws
  {
    let store = try history.store()
    try await store.add("one")
    try history.run("PRAGMA user_version = 99; ALTER TABLE clip RENAME COLUMN text TO words")
    if !hasLog { await store.close() }
    try await expectRefusal(.newerSchema(found: 99, known: Schema.version), of: history.snapshot())
    withExtendedLifetime(store) {}
  }

  @Test(arguments: ["PRAGMA user_version = 99", "PRAGMA application_id = 7"])
  func `another program's or a newer version's damaged file is not recovered`(sql: String) async throws {
    try await history.record((0..<200).map { String(repeating: "clip \($0) ", count: 40) })
    try history.run(sql)
    try history.damage { $0.destroy(100..<4096) }
    let bytes = try history.bytes()
    await #expect(throws: StoreError.self) { try await history.recovered() }
    #expect(try history.bytes() == bytes)
  }

  @Test func `reading, exporting or restoring a row that is not valid text marks the history as damaged`()
    async throws
  {
    let store = try history.store()
    try history.insert("(1, 0, 1, CAST(x'ff' AS TEXT)), (2, 0, 0, ''), (3, 0, 5, 'three')")
    await #expect(throws: StoreError.damaged) { try await store.text(of: 1) }
    await #expect(throws: StoreError.damaged) { try await store.text(of: 2) }
    #expect(try history.previews().count == 3)
    #expect(try history.isMarked(), "the next start recovers it, as the message says")
    unlink(history.location.damageMarker)
    let clips = try ClipCursor(location: history.location)
    #expect(try clips.next()?.id == 3)
    #expect(try clips.next() == nil && clips.isDamaged && clips.isIncomplete)
    #expect(try history.isMarked())
    unlink(history.location.damageMarker)
    let deleted = try #require(try await store.delete(1))
    await #expect(throws: StoreError.damaged) { try await store.restore(deleted) }
    #expect(try history.isMarked())
  }
}
