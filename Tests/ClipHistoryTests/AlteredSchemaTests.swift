import Foundation
import Testing

@testable import ClipHistory

@Suite("A history whose tables another program has changed is rescued")
struct AlteredSchemaTests {
  let history: TemporaryHistory

  init() throws {
    history = try TemporaryHistory()
  }

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
  func `by`(sql: String) async throws {
    let first = try history.store()
    for text in ["one", "two", String(repeating: "three", count: 2_000)] { try await first.add(text, at: 5) }
    await first.close()
    do {
      let other = try ForeignConnection(history.location.database)
      for statement in sql.split(separator: "; ") where !sql.contains("BEGIN") {
        other.run(String(statement))
      }
      if sql.contains("BEGIN") { other.run(sql) }
    }
    #expect(throws: StoreError.damaged) { try history.store() }
    #expect(throws: StoreError.damaged) { try history.reader() }
    #expect(throws: StoreError.damaged) { try ClipCursor(location: history.location) }
    let outcome = try await history.rescued()
    #expect(outcome.clipCount == 3 && outcome.lostCount == 0)
    let store = try history.store()
    #expect(try await store.add("four") == Clip(id: 4, capturedAt: 5, byteCount: 4, preview: "four"))
    #expect(try history.reader().newestPage(limit: 999).count == 4)
    try await store.delete(2)
    #expect(try await store.allIDs() == [1, 3, 4])
  }

  /// What `ANALYZE` leaves changes nothing.
  @Test func `but not for SQLite's own statistics`() async throws {
    let first = try history.store()
    try await first.add("one")
    await first.close()
    try history.run("ANALYZE")
    #expect(try await history.store().allIDs() == [1])
  }
}
