import ClipHistory
import Testing

struct FingerprintTests {
  let history = TemporaryHistory()
  let store: HistoryStore

  init() throws { store = try history.store() }

  @Test func `the last captured text is not recorded again after its deletion or a relaunch`() async throws {
    let clip = try await store.add("one", at: 5)
    #expect(clip == Clip(id: 1, capturedAt: 5, byteCount: 3, preview: "one"))
    #expect(try await store.record(try ClipText("one"), at: 6) == .duplicate)
    #expect(try await store.allIDs() == [1])
    try await store.delete(clip.id)
    #expect(try await store.record(try ClipText("one"), at: 7) == .duplicate)
    await store.close()
    let second = try history.store()
    #expect(try await second.record(try ClipText("one"), at: 8) == .duplicate)
    #expect(try await second.allIDs() == [])
  }

  @Test func `a text is recorded again after another text was captured`() async throws {
    for string in ["A", "B", "A"] { try await store.add(string) }
    #expect(try history.previews() == ["A", "B", "A"])
  }

  @Test func `a text that was copied from the history is not recorded again`() async throws {
    try await store.add("one")
    try await store.add("two")
    try await store.setLastCaptured(try ClipText("one"))
    #expect(try await store.record(try ClipText("one"), at: 2) == .duplicate)
    #expect(try await store.allIDs() == [1, 2], "an own copy adds no row")
    try await store.add("two")
  }

  @Test func `each history has its own fingerprint key`() async throws {
    var digests: [[String]] = []
    for place in [history, TemporaryHistory()] {
      try await place.record("the same")
      #expect(try place.foreign().rows("SELECT length(key) FROM last_capture") == ["32"])
      digests.append(try place.foreign().rows("SELECT hex(digest) FROM last_capture"))
    }
    #expect(digests[0] != digests[1])
  }

  @Test func `a text whose row could not be written is recorded at the next attempt`() async throws {
    try await store.add("one")
    let other = try history.foreign()
    other.run("CREATE TRIGGER refuse BEFORE INSERT ON clip BEGIN SELECT RAISE(ABORT, 'no'); END")
    await #expect(throws: StoreError.self) { try await store.add("two") }
    other.run("DROP TRIGGER refuse")
    try await store.add("two")
    #expect(try await store.allIDs() == [1, 2])
  }
}
