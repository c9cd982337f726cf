import CSQLite
import TestSupport
import Testing

@testable import ClipHistory

@Suite(.tags(.recovers)) struct AlteredSchemaTests {
  let history = TemporaryHistory()

  @Test(arguments: [
    "CREATE TRIGGER theirs AFTER INSERT ON clip BEGIN DELETE FROM clip WHERE id < NEW.id; END",
    "CREATE TRIGGER theirs AFTER DELETE ON clip BEGIN INSERT INTO clip SELECT old.id, 1, 1, NULL, old.text; END",
    "CREATE TRIGGER theirs AFTER UPDATE ON last_capture BEGIN UPDATE last_capture SET captured_at = 7; END",
    "DROP TRIGGER clip_is_not_updated",
    "ALTER TABLE clip ADD COLUMN theirs TEXT",
    "ALTER TABLE clip ADD COLUMN twice TEXT AS (text || text)",
    "ALTER TABLE clip RENAME COLUMN text TO words",
    "CREATE INDEX theirs ON clip(text)",
    "CREATE VIEW theirs AS SELECT * FROM clip",
    "CREATE TABLE theirs(a)",
    "CREATE VIRTUAL TABLE theirs USING fts5(text)",
    "ALTER TABLE clip RENAME TO other; CREATE VIEW clip AS SELECT * FROM other",
    "ALTER TABLE last_capture RENAME TO other; CREATE VIEW last_capture AS SELECT * FROM other",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'nonsense' WHERE name = 'clip'",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = NULL WHERE name = 'clip'",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET type = 'index' WHERE name = 'clip'",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 1 WHERE name = 'clip'",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 2 WHERE name = 'sqlite_sequence'",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 2 WHERE name = 'last_capture'",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 3 WHERE name = 'clip'",
    "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema",
  ])
  func `a history counts as damaged and is recovered if another program changed its schema`(sql: String)
    async throws
  {
    try await history.record("one", "two", String(repeating: "three", count: 2_000))
    try history.run(sql)
    #expect(throws: StoreError.damaged) { try history.store() }
    #expect(throws: StoreError.damaged) { try history.reader() }
    do {
      // While a cursor exists, the history cannot be recovered.
      let clips = try ClipCursor(location: history.location)
      for id: Int64 in 1...3 { #expect(try clips.next()?.id == id) }
      #expect(try clips.next() == nil)
    }
    try await history.expectRecovery(of: 3)
    let store = try history.store()
    #expect(try await store.add("four") == Clip(id: 4, capturedAt: 1, byteCount: 4, preview: "four"))
    #expect(try history.previews().count == 4)
    try await store.delete(2)
    #expect(try await store.allIDs() == [1, 3, 4])
  }

  /// `ANALYZE` adds SQLite's own tables, which are harmless.
  @Test func `a history with SQLite's own statistics tables opens normally`() async throws {
    try await history.record("one")
    try history.run("ANALYZE")
    #expect(try await history.store().allIDs() == [1])
  }

  @Test(
    .tags(.clipsStay),
    arguments: [
      "UPDATE clip SET text = 'other'", "UPDATE clip SET captured_at = 0 WHERE id = 1",
      "UPDATE clip SET id = 9", "UPDATE OR REPLACE clip SET byte_count = 1",
      "INSERT OR REPLACE INTO clip(id, captured_at, byte_count, text) VALUES (1, 0, 5, 'other')",
      """
      INSERT INTO clip(id, captured_at, byte_count, text) VALUES (1, 0, 5, 'other')
      ON CONFLICT (id) DO UPDATE SET text = 'other'
      """,
      "INSERT INTO clip(id, captured_at, byte_count, text) VALUES (8, 'when?', 5, 'other')",
      "INSERT INTO clip(id, captured_at, byte_count, text) VALUES (8, 1, 5, NULL)",
    ])
  func `the database rejects SQL that changes a clip or inserts an invalid clip`(sql: String) async throws {
    let store = try history.store()
    let clip = try await store.add("one")
    let other = try ForeignConnection(history.location.database)
    #expect(other.run(sql) == SQLITE_CONSTRAINT)
    #expect(try history.reader().newestPage(limit: 9) == [clip])
  }
}
