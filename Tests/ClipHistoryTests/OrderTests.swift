import ClipHistory
import Testing

@Suite("The history is in the order of time")
struct OrderTests {
  let history: TemporaryHistory

  init() throws {
    history = try TemporaryHistory()
  }

  @Test func `also where the clock runs backwards`() async throws {
    let store = try history.store()
    var times: [Int64] = []
    for (index, now) in [100, 50, 70, 200].enumerated() {
      times.append(try await store.add("\(index)", at: Int64(now)).capturedAt)
    }
    #expect(times == [100, 100, 100, 200])
  }

  @Test func `also where the newest was deleted before`() async throws {
    let first = try history.store()
    let clip = try await first.add("one", at: 100)
    try await first.delete(clip.id)
    await first.close()
    #expect(try await history.store().add("two", at: 50).capturedAt == 100)
  }

  @Test func `whoever reads it`() async throws {
    let store = try history.store()
    for number in 1...5 { try await store.add("\(number)", at: Int64(number) * 1_000_000) }
    let other = try ForeignConnection(history.location.database)
    #expect(try other.rows("SELECT text FROM clip ORDER BY captured_at DESC") == ["5", "4", "3", "2", "1"])
    #expect(try other.rows("SELECT captured_at || '/' || byte_count FROM clip WHERE id = 3") == ["3000000/1"])
    #expect(try other.rows("SELECT count(*) FROM clip WHERE preview IS NULL") == ["5"])
  }
}
