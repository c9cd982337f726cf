import Testing

@testable import ClipHistory

struct RestoringTests {
  let history = TemporaryHistory()
  let store: HistoryStore

  init() throws { store = try history.store() }

  @Test(arguments: [3, 400, 401, 100_000])
  func `a restored clip has its former place, time and bytes`(size: Int) async throws {
    let string = String(String(repeating: "e\u{301}\r\n\t", count: size / 6 + 1).prefix(size))
    try await store.add("before", at: 10)
    let clip = try await store.add(string, at: 20)
    try await store.add("after", at: 30)
    let before = try history.reader().newestPage(limit: 9)

    let deleted = try #require(try await store.delete(clip.id))
    #expect(deleted.id == clip.id && deleted.capturedAt == 20 && deleted.byteCount == clip.byteCount)
    #expect(try history.previews() == ["after", "before"])
    #expect(try await store.restore(deleted) == clip)
    #expect(try history.reader().newestPage(limit: 9) == before)
    #expect(try await store.text(of: clip.id) == ClipText(string))
  }

  @Test func `a clip can be restored after a relaunch, once, and does not become the last captured text`()
    async throws
  {
    try await store.add("one")
    let deleted = try #require(try await store.delete(1))
    await store.close()
    let second = try history.store()
    try await second.add("two")
    try await second.restore(deleted)
    #expect(try await second.allIDs() == [1, 2])
    await #expect(throws: StoreError.alreadyThere) { try await second.restore(deleted) }
    #expect(try await second.allIDs() == [1, 2])
    #expect(try await second.record(try ClipText("two"), at: 1) == .duplicate)
    try await second.add("one")
  }
}
