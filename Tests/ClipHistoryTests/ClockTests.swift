import Testing

@testable import ClipHistory

struct ClockTests {
  let history = TemporaryHistory()
  let store: HistoryStore
  private let today: Int64 = 1_800_000_000_000_000
  private let year: Int64 = 31_557_600_000_000

  init() throws { store = try history.store() }

  @Test(arguments: [73, -56] as [Int64])
  func `a clock jump affects only the times of clips recorded before the clock is corrected`(years: Int64)
    async throws
  {
    try await store.add("before", at: today)
    let jumped = try await store.add("meanwhile", at: today + years * year)
    #expect(jumped.capturedAt == today + years * year)
    #expect(try await store.add("after", at: today + 1_000_000).capturedAt == today + 1_000_000)
    #expect(try history.previews() == ["after", "meanwhile", "before"])
  }

  /// Other programs may sort by time, so times must ascend with the order of capture.
  @Test func `a clip gets the previous clip's time if the clock was set back by up to a minute`() async throws
  {
    var times: [Int64] = []
    for (index, passed) in [0, -50, -30, -60_000_000, 100].enumerated() {
      times.append(try await store.add("\(index)", at: today + Int64(passed)).capturedAt - today)
    }
    #expect(times == [0, 0, 0, 0, 100])
    try await store.delete(5)
    await store.close()
    let reopened = try history.store()
    #expect(try await reopened.add("after", at: today + 50).capturedAt == today + 100)
    #expect(try await reopened.add("last", at: today - 60_000_000).capturedAt == today - 60_000_000)
  }

  @Test func `other programs can read the documented columns and sort clips by time`() async throws {
    for number in 1...5 { try await store.add("\(number)", at: Int64(number) * 1_000_000) }
    let other = try history.foreign()
    #expect(try other.rows("SELECT text FROM clip ORDER BY captured_at DESC") == ["5", "4", "3", "2", "1"])
    #expect(try other.rows("SELECT captured_at || '/' || byte_count FROM clip WHERE id = 3") == ["3000000/1"])
    #expect(try other.rows("SELECT count(*) FROM clip WHERE preview IS NULL") == ["5"])
  }

  @Test(arguments: [.max, .min, 4_000_000_000_000_000_000, -1, CaptureTime.latest + 1] as [Int64])
  func `an impossible time counts as unknown and does not affect the next clip`(time: Int64) async throws {
    try await store.add("one", at: today)
    try history.insert("(2, \(time), 3, 'two'); UPDATE last_capture SET captured_at = \(time)")
    #expect(try history.reader().newestPage(limit: 9).map(\.capturedAt) == [0, today])
    let clips = try ClipCursor(location: history.location)
    #expect(try [clips.next()?.capturedAt, clips.next()?.capturedAt] == [today, 0])
    let deleted = try #require(try await store.delete(2))
    #expect(try await store.restore(deleted).capturedAt == 0)
    #expect(try await store.add("three", at: today).capturedAt == today)
    #expect(try await store.add("four", at: time).capturedAt == 0)
  }

  @Test(arguments: [-5, 0, Int64.max] as [Int64])
  func `a clip whose stored size is impossible is listed with a plausible size`(size: Int64) async throws {
    try history.run(
      """
      INSERT INTO clip(captured_at, byte_count, preview, text)
      VALUES (1, \(size), NULL, 'short'), (2, \(size), 'beginning', 'beginning and the rest')
      """)
    let sizes = try history.reader().newestPage(limit: 9).map(\.byteCount)
    #expect(sizes == [size > 0 ? ClipText.largestStored : 9, 5])
  }
}
