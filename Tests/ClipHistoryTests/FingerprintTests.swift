import ClipHistory
import Testing

@Suite("The last captured text is not recorded again")
struct FingerprintTests {
  let history: TemporaryHistory

  init() throws {
    history = try TemporaryHistory()
  }

  @Test func `when it is offered again`() async throws {
    let store = try history.store()
    let clip = try await store.add("one", at: 5)
    #expect(clip == Clip(id: 1, capturedAt: 5, byteCount: 3, preview: "one"))
    #expect(try await store.record(try ClipText("one"), at: 6) == .duplicate)
    #expect(try await store.allIDs() == [1])
  }

  @Test func `but is after another one`() async throws {
    let store = try history.store()
    for string in ["A", "B", "A"] { try await store.add(string) }
    #expect(try history.reader().newestPage(limit: 9).map(\.preview) == ["A", "B", "A"])
  }

  @Test func `after a relaunch`() async throws {
    let first = try history.store()
    try await first.add("one")
    await first.close()
    let second = try history.store()
    #expect(try await second.record(try ClipText("one"), at: 2) == .duplicate)
  }

  @Test func `after its row was deleted, also after a relaunch`() async throws {
    let first = try history.store()
    let clip = try await first.add("one")
    try await first.delete(clip.id)
    #expect(try await first.record(try ClipText("one"), at: 2) == .duplicate)
    await first.close()
    let second = try history.store()
    #expect(try await second.record(try ClipText("one"), at: 3) == .duplicate)
    #expect(try await second.allIDs() == [])
  }

  @Test func `when it was copied out of the history`() async throws {
    let store = try history.store()
    try await store.add("one")
    try await store.add("two")
    try await store.noteCopied(try ClipText("one"))
    #expect(try await store.record(try ClipText("one"), at: 2) == .duplicate)
    #expect(try await store.allIDs() == [1, 2], "an own copy adds no row")
    try await store.add("two")
  }

  @Test func `but is where only its bytes differ`() async throws {
    let store = try history.store()
    try await store.add("\u{e9}")
    try await store.add("e\u{301}")
    try await store.add("e\u{301} ")
  }

  @Test func `with a key that each history has of its own`() async throws {
    let other = try TemporaryHistory()
    var digests: [[String]] = []
    for place in [history, other] {
      let store = try place.store()
      try await store.add("the same")
      await store.close()
      let file = try ForeignConnection(place.location.database)
      #expect(try file.rows("SELECT length(key) FROM last_capture") == ["32"])
      digests.append(try file.rows("SELECT hex(digest) FROM last_capture"))
    }
    #expect(digests[0] != digests[1])
  }

  @Test func `nor is any of it kept where the row cannot be written`() async throws {
    let store = try history.store()
    try await store.add("one")
    let other = try ForeignConnection(history.location.database)
    other.run("CREATE TRIGGER refuse BEFORE INSERT ON clip BEGIN SELECT RAISE(ABORT, 'no'); END")
    await #expect(throws: StoreError.self) { try await store.add("two") }
    other.run("DROP TRIGGER refuse")
    try await store.add("two")
    #expect(try await store.allIDs() == [1, 2])
  }
}
