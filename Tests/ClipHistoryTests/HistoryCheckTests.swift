import Testing

@testable import ClipHistory

struct HistoryCheckTests {
  let history = TemporaryHistory()

  @Test(arguments: [
    ("(0, 1, 1, NULL, 'x')", 0), ("(2, -5, 1, NULL, 'x')", 0), ("(2, 1, 2, NULL, 'x')", 0),
    ("(2, 1, 1, 'x', 'x')", 0), ("(2, 1, 1, NULL, CAST(x'ff' AS TEXT))", 1),
    ("(2, 1, 1, NULL, CAST(x'410042' AS TEXT))", 1),
  ])
  func `a check reports a clip with a wrong id, time, size, preview or text as damage`(
    clip: String, unreadable: Int
  ) async throws {
    try await history.record(["kept"])
    try history.run("INSERT INTO clip(id, captured_at, byte_count, preview, text) VALUES \(clip)")
    let check = try HistoryCheck(history.location)
    #expect(!check.isSound && check.clipCount >= 1 + unreadable)
    #expect(check.wrongCount == 1 - unreadable && check.unreadableCount == unreadable)
    #expect(try history.isMarked(), "the next start recovers it")
  }

  @Test func `a history that is marked as damaged is not reported as sound`() async throws {
    try await history.record(["kept"])
    history.markDamaged()
    #expect(try !HistoryCheck(history.location).isSound)
  }

  @Test(arguments: ["last_capture", "last_look"])
  func `a check reports damage if a single-row table has no row`(table: String) async throws {
    try await history.record(["kept"])
    try history.run("DELETE FROM \(table)")
    #expect(try !HistoryCheck(history.location).isSound)
    #expect(try history.isMarked(), "the next start recovers it")
  }
}
