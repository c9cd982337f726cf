import Testing

@testable import ClipHistory

@MainActor
@Suite("What is too old")
struct AgeTests {
  private let history = TemporaryHistory()
  private let store: HistoryStore
  private static let day: Int64 = 86_400_000_000
  private static let now: Int64 = 20_000 * day
  private let limit = Self.now - 30 * Self.day

  init() throws { store = try history.store() }

  @Test func `goes from the files, and what is younger stays`() async throws {
    for size in [1, 40, 90, 20_000] {
      try await store.add(String(repeating: "Xq7!vanish \(size) ", count: size), at: Self.now - 40 * Self.day)
    }
    try await store.add("what stays", at: Self.now)
    let gone = Gone()
    try await store.deleteAll(before: limit, gone.take)
    #expect(gone.ids == [1, 2, 3, 4])
    #expect(try !history.contains("Xq7!vanish"))
    #expect(try history.unusedBytes() == 0)
    #expect(try history.previews() == ["what stays"])
    #expect(try await store.record(try ClipText("what stays"), at: Self.now) == .duplicate)
  }

  /// The order of ids says nothing of times: a clock may have been wrong, for a while or for good.
  @Test func `is found wherever a wrong clock has put it, and an unknown time is no age`() async throws {
    let ages: [Int64] = [0, 40, 2, 10_000, 31, -400, 29]
    for age in ages { try await store.add("\(age) days", at: Self.now - age * Self.day) }
    try await store.add("unknown", at: 0)
    let found = try await store.ages(before: limit)
    #expect(found.count == 8 && found.expired == 3 && found.newest == Self.now + 400 * Self.day)
    let gone = Gone()
    try await store.deleteAll(before: limit, gone.take)
    #expect(gone.ids == [2, 4, 5])
    #expect(try history.previews() == ["unknown", "29 days", "-400 days", "2 days", "0 days"])
  }

  @Test func `is looked for again only once something can have become too old`() async throws {
    let clip = try await store.add("20 days", at: Self.now - 20 * Self.day)
    try await store.add("now", at: Self.now)
    #expect(try await store.ages(before: limit).count == 2)
    #expect(try await store.ages(before: limit).count == 0, "it is known that none is too old")
    #expect(try await store.ages(before: Self.now - 19 * Self.day).expired == 1)
    // A clip that comes back, or was captured by a clock that was set back, may be older than all others.
    let deleted = try #require(try await store.delete(clip.id))
    #expect(try await store.ages(before: limit + 15 * Self.day).count == 1)
    #expect(try await store.ages(before: limit + 15 * Self.day).count == 0)
    try await store.restore(deleted)
    #expect(try await store.ages(before: limit + 15 * Self.day).expired == 1)
    try await store.add("long ago", at: Self.now - 5_000 * Self.day)
    #expect(try await store.ages(before: limit).expired == 1)
  }

  @Test func `is found if it comes back while all others are looked at`() async throws {
    let old = try await store.add("40 days", at: Self.now - 40 * Self.day)
    let deleted = try #require(try await store.delete(old.id))
    // In several steps, between which the store does other things.
    try history.fill(60_000, from: Self.now - Self.day)
    let gone = Gone()
    let look = Task {
      gone.partsBefore = 0
      return try await store.ages(before: limit)
    }
    while gone.partsBefore == nil { await Task.yield() }
    try await store.restore(deleted)
    _ = try await look.value
    #expect(try await store.ages(before: limit).expired == 1)
  }

  @Test func `keeps neither a capture nor a copy waiting for all that goes`() async throws {
    try history.fill(30_000)
    let gone = Gone()
    try await store.deleteAll(before: Self.now) { ids in
      if gone.ids.isEmpty {
        Task {
          try await store.add("meanwhile", at: Self.now)
          gone.partsBefore = gone.parts
        }
      }
      return gone.take(ids)
    }
    #expect(gone.ids.count == 30_000)
    // The capture comes to the store before the second part does.
    let parts = gone.partsBefore ?? 0
    #expect((1...2).contains(parts), "\(parts) of \(gone.parts) parts")
    #expect(gone.parts > 5)
    #expect(try history.previews() == ["meanwhile"])
  }

  @Test func `leaves a small file if most of it went`() async throws {
    try history.fill(5_000)
    try await store.add("what stays", at: Self.now)
    try await store.deleteAll(before: Self.now) { _ in true }
    #expect(try #require(try HistoryFolder.size(of: history.location.database)) <= 10 * 4096)
    #expect(try HistoryFolder.size(of: history.location.writeAheadLog) == 0)
    await store.close()
    #expect(try history.isSound())
    #expect(try history.previews() == ["what stays"])
  }

  @Test func `stays from where on it is told to stop`() async throws {
    try history.fill(10_000)
    try await store.deleteAll(before: Self.now) { _ in false }
    #expect(try (1..<10_000).contains(history.previews().count))
  }

  @Test func `goes from the log too, once a reader that was in the way has gone`() async throws {
    let store = try history.store(HistoryStore.LockTimeouts(readers: 0, retries: []))
    try await store.add("Xq7!vanish", at: 1)
    let other = try history.foreignReader()
    try await store.deleteAll(before: Self.now) { _ in true }
    #expect(try other.rows("SELECT text FROM clip") == ["Xq7!vanish"], "it still reads what it saw")
    other.run("COMMIT")
    try await store.add("the next one", at: Self.now)
    #expect(try !history.contains("Xq7!vanish"))
  }
}

/// The list, as far as it is told of a deletion.
@MainActor
private final class Gone {
  private(set) var ids: [Int64] = []
  private(set) var parts = 0
  /// How many parts had gone before something else was done.
  var partsBefore: Int?

  nonisolated init() {}

  var take: @MainActor @Sendable ([Int64]) -> Bool {
    { [self] part in
      parts += 1
      ids += part
      return true
    }
  }
}
