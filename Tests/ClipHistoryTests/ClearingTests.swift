import TestSupport
import Testing

@testable import ClipHistory

struct ClearingTests {
  let history = TemporaryHistory()

  @Test func `clearing the history overwrites every text and shrinks the file`() async throws {
    let store = try history.store()
    for number in 1...300 { try await store.add(String(repeating: "Xq7!vanish \(number) ", count: number)) }
    try await store.deleteAll()
    #expect(try !history.contains("Xq7!vanish"))
    #expect(try #require(try HistoryFolder.size(of: history.location.database)) <= 10 * 4096)
    #expect(try HistoryFolder.size(of: history.location.writeAheadLog) == 0)
    #expect(try history.previews() == [])
    await store.close()
    #expect(try history.isSound())
    #expect(try history.foreign().rows("PRAGMA application_id") == ["\(Schema.applicationID)"])
  }

  /// InterruptionTests clears histories with other files.
  @Test func `clearing a damaged history removes all files set aside, too`() async throws {
    try await history.record("one", "two")
    history.markDamaged()
    try await history.expectRecovery(of: 2)
    try history.damage { $0.destroy(0..<4096) }
    #expect(throws: StoreError.damaged) { try history.store() }
    #expect(try history.location.removeAll() == 2)
    #expect(try history.names() == [] && history.location.isVacant)
    try await history.record("three")
    #expect(try history.previews() == ["three"])
  }

  @Test func `clearing the history keeps the last capture's fingerprint and reuses no id`() async throws {
    let store = try history.store()
    for string in ["one", "two"] { try await store.add(string) }
    try await store.deleteAll()
    try await store.deleteAll()
    #expect(try await store.record(try ClipText("two"), at: 1) == .duplicate)
    #expect(try await store.add("three").id == 3)
  }
}
