import ClipHistory
import TestSupport
import Testing

@Suite(.tags(.recordsEveryCopy)) struct FingerprintTests {
  let history = TemporaryHistory()
  let store: HistoryStore

  init() throws { store = try history.store() }

  @Test(.tags(.recordsOnce))
  func `the last captured text is not recorded again after its deletion or a relaunch`() async throws {
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
    #expect(try await store.record(try ClipText("two"), at: 2) == .duplicate, "the newest row")
    #expect(try await store.allIDs() == [1, 2], "an own copy adds no row")
    try await store.add("one")
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

  // MARK: - Explicit captures

  private func handOver(_ text: String) async throws -> HistoryStore.RecordOutcome {
    try await store.recordExplicitly(try ClipText(text), at: 7, fromClipboard: true)
  }

  @Test func `pasting the text of an older or deleted clip adds a clip`() async throws {
    for string in ["one", "two"] { try await store.add(string) }
    try await store.delete(2)
    #expect(try await store.record(try ClipText("two"), at: 1) == .duplicate)
    let again = Clip(id: 3, capturedAt: 7, byteCount: 3, preview: "two")
    #expect(try await handOver("two") == .recorded(again))
    #expect(try await handOver("one") != .duplicate)
    #expect(try history.previews() == ["one", "two", "one"])
  }

  @Test(arguments: [1, 399, 401, 100_000])
  func `pasting the text of the newest clip is a duplicate`(size: Int) async throws {
    let string = String(repeating: "x", count: size)
    try await store.add(string)
    #expect(try await handOver(string) == .duplicate)
    // The text is still a duplicate after another text was copied from the history.
    try await store.setLastCaptured(try ClipText("two"))
    #expect(try await handOver(string) == .duplicate)
    #expect(try history.previews().count == 1)
    #expect(try await handOver(String(string.dropLast()) + "y") != .duplicate, "of the same size")
  }

  @Test func `a pasted text becomes the last captured text`() async throws {
    _ = try await handOver("one")
    #expect(try await store.record(try ClipText("one"), at: 1) == .duplicate)
    // The text is the newest clip, but not the last captured text.
    try await store.setLastCaptured(try ClipText("two"))
    #expect(try await handOver("one") == .duplicate)
    #expect(try await store.record(try ClipText("one"), at: 1) == .duplicate)
  }

  @Test func `a text dropped onto the window does not become the last captured text`() async throws {
    try await store.add("on the clipboard", at: 3)
    let clip = Clip(id: 2, capturedAt: 7, byteCount: 7, preview: "dropped")
    let dropped = try ClipText("dropped")
    let outcome = try await store.recordExplicitly(dropped, at: 7, fromClipboard: false)
    #expect(outcome == .recorded(clip))
    #expect(try await store.record(try ClipText("on the clipboard"), at: 8) == .duplicate)
    #expect(try await store.add("next", at: 4).capturedAt == 7, "times ascend")
  }
}
