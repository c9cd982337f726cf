import ClipHistory
import Testing

@Suite("A text that is handed over on purpose")
struct PurposeTests {
  let history: TemporaryHistory

  init() throws {
    history = try TemporaryHistory()
  }

  private func handOver(
    _ string: String, to store: HistoryStore, fromClipboard: Bool = true
  ) async throws -> HistoryStore.RecordOutcome {
    try await store.recordExplicitly(try ClipText(string), at: 7, fromClipboard: fromClipboard)
  }

  private func texts() throws -> [String] { try history.reader().newestPage(limit: 9).map(\.preview) }

  @Test func `is recorded though its row was deleted`() async throws {
    let store = try history.store()
    let clip = try await store.add("one")
    try await store.delete(clip.id)
    #expect(try await store.record(try ClipText("one"), at: 1) == .duplicate)
    let again = Clip(id: 2, capturedAt: 7, byteCount: 3, preview: "one")
    #expect(try await handOver("one", to: store) == .recorded(again))
  }

  @Test(arguments: [1, 399, 401, 100_000])
  func `never doubles the newest row`(size: Int) async throws {
    let store = try history.store()
    let string = String(repeating: "x", count: size)
    try await store.add(string)
    #expect(try await handOver(string, to: store) == .duplicate)
    // Even if something else was copied out of the history since.
    try await store.noteCopied(try ClipText("two"))
    #expect(try await handOver(string, to: store) == .duplicate)
    #expect(try history.reader().newestPage(limit: 999).count == 1)
    #expect(try await handOver(String(string.dropLast()) + "y", to: store) != .duplicate, "of the same size")
  }

  @Test func `comes to the top where it lies further down`() async throws {
    let store = try history.store()
    for string in ["one", "two"] { try await store.add(string) }
    #expect(try await handOver("one", to: store) != .duplicate)
    #expect(try texts() == ["one", "two", "one"])
  }

  @Test func `becomes the last captured text, as it is on the clipboard`() async throws {
    let store = try history.store()
    _ = try await handOver("one", to: store)
    #expect(try await store.record(try ClipText("one"), at: 1) == .duplicate)
    // The newest one already, but not the last captured.
    try await store.noteCopied(try ClipText("two"))
    #expect(try await handOver("one", to: store) == .duplicate)
    #expect(try await store.record(try ClipText("one"), at: 1) == .duplicate)
  }

  @Test func `and not where it was dropped, as the clipboard holds another one still`() async throws {
    let store = try history.store()
    try await store.add("on the clipboard", at: 3)
    let clip = Clip(id: 2, capturedAt: 7, byteCount: 7, preview: "dropped")
    #expect(try await handOver("dropped", to: store, fromClipboard: false) == .recorded(clip))
    #expect(try await store.record(try ClipText("on the clipboard"), at: 8) == .duplicate)
    #expect(try await store.add("next", at: 4).capturedAt == 7, "times ascend")
  }
}
