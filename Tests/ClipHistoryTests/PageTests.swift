import CSQLite
import TestSupport
import Testing

@testable import ClipHistory

@Suite(.tags(.scales)) struct PageTests {
  let history = TemporaryHistory()

  @Test func `a page of clips begins at the given clip and continues with older clips`() async throws {
    let store = try history.store()
    for number in 1...10 { try await store.add("\(number)") }
    let reader = try history.reader()
    #expect(try reader.newestPage(limit: 3).map(\.id) == [10, 9, 8])
    #expect(try reader.page(from: 7, limit: 3).map(\.id) == [7, 6, 5])
    #expect(try reader.page(from: 2, limit: 50).map(\.id) == [2, 1])
    #expect(try reader.page(from: 0, limit: 50) == [])
    #expect(try reader.page(from: 5, limit: 0) == [])
    #expect(try reader.page(from: 5, limit: -1) == [])
    try await store.delete(6)
    #expect(try reader.page(from: 6, limit: 2).map(\.id) == [5, 4], "the clip need not be there")
    #expect(try history.previews().count == 9)
  }

  @Test func `opening and paging read no more of 100,000 items than of 1,000`() throws {
    /// The number of bytes that this thread has read from files.
    func bytesRead() throws -> Int {
      let counts = try String(contentsOfFile: "/proc/thread-self/io", encoding: .utf8).split(separator: "\n")
      return try #require(counts.first.flatMap { Int($0.dropFirst("rchar: ".count)) })
    }
    let counts = try [1_000, 100_000].map { count in
      let history = TemporaryHistory()
      _ = try history.store()
      try history.fill(count)
      let before = try bytesRead()
      let (store, reader) = (try history.store(), try history.reader())
      #expect(try reader.newestPage(limit: 16).count == 16 && reader.lastID() == Int64(count))
      #expect(try reader.page(from: Int64(count) / 2, limit: 64).count == 64)
      return try withExtendedLifetime(store) { try bytesRead() - before }
    }
    #expect(counts[1] < counts[0] + 10 * 4096, "\(counts)")
  }

  @Test(.tags(.previewsAnySize)) func `reading a page of 1 MB texts does not read the whole texts`()
    async throws
  {
    try await history.record((0..<50).map { "\($0)" + .repetition(of: "x", count: 1_000_000) })
    let database = try Database(path: history.location.database, access: .readOnly, lockTimeout: 0)
    let statement = try Statement(ReadConnection.pageQuery, on: database)
    var rows = 0
    try statement.walk(Int64.max, Int64(50), descending: true) { _ in
      rows += statement.string(3).utf8.count == 400 ? 1 : 0
      return true
    }
    #expect(rows == 50)
    var misses: Int32 = 0
    var highest: Int32 = 0
    sqlite3_db_status(database.handle, SQLITE_DBSTATUS_CACHE_MISS, &misses, &highest, 0)
    #expect(misses <= 60, "50 leaves and the way to them; one text alone has 245 pages")
  }
}
