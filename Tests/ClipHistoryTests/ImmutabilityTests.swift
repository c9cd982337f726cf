import CSQLite
import ClipHistory
import Testing

struct ImmutabilityTests {
  @Test(arguments: [
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
    let history = TemporaryHistory()
    let store = try history.store()
    let clip = try await store.add("one")
    let other = try ForeignConnection(history.location.database)
    #expect(other.run(sql) == SQLITE_CONSTRAINT)
    #expect(try history.reader().newestPage(limit: 9) == [clip])
  }
}
