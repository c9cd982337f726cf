import Foundation
import Testing

@testable import ClipHistory

@Suite("A file that is not a sound history is left alone")
struct RefusalTests {
  let history: TemporaryHistory

  init() throws {
    history = try TemporaryHistory()
  }

  /// A closed history with rows, as bytes.
  private func closedHistory() async throws -> Data {
    let other = try TemporaryHistory()
    let store = try other.store()
    for number in 0..<200 { try await store.add(String(repeating: "clip \(number) ", count: 40)) }
    await store.close()
    return try Data(contentsOf: URL(filePath: other.location.database))
  }

  private func expectRefusal(_ error: StoreError) throws {
    let before = try Data(contentsOf: URL(filePath: history.location.database))
    #expect(throws: error) { try history.store() }
    #expect(throws: error) { try history.reader() }
    #expect(try Data(contentsOf: URL(filePath: history.location.database)) == before)
    #expect(history.files == [history.location.database], "nothing new beside it")
  }

  @Test func `where it is no database`() throws {
    try history.plant(Data(String(repeating: "not a database ", count: 1_000).utf8))
    try expectRefusal(.notADatabase)
  }

  @Test func `where it is another program's`() throws {
    try history.plant(Data())
    try ForeignConnection(history.location.database).run("CREATE TABLE bookmarks(url TEXT)")
    try expectRefusal(.notADatabase)
  }

  @Test func `where it is another program's without tables`() throws {
    try history.plant(Data())
    try ForeignConnection(history.location.database).run("PRAGMA application_id = 7")
    try expectRefusal(.notADatabase)
  }

  @Test func `where a newer version wrote it`() async throws {
    try history.plant(try await closedHistory())
    try ForeignConnection(history.location.database).run("PRAGMA user_version = 99")
    #expect(throws: StoreError.newerSchema(found: 99, known: 1)) { try history.store() }
    #expect(throws: StoreError.newerSchema(found: 99, known: 1)) { try history.reader() }
  }

  @Test func `where a newer version wrote it, and its log beside it`() async throws {
    let store = try history.store()
    try await store.add("one")
    let other = try ForeignConnection(history.location.database)
    other.run("PRAGMA user_version = 99; CREATE TABLE later(a)")
    let copy = try history.snapshot()
    let files = [copy.location.database, copy.location.writeAheadLog]
    let before = try files.map { try Data(contentsOf: URL(filePath: $0)) }
    #expect(throws: StoreError.newerSchema(found: 99, known: 1)) { try copy.store() }
    #expect(try files.map { try Data(contentsOf: URL(filePath: $0)) } == before)
  }

  @Test func `where it is cut off`() async throws {
    let bytes = try await closedHistory()
    try history.plant(bytes.prefix(bytes.count / 2))
    #expect(throws: StoreError.damaged) { try history.store() }
    #expect(try Data(contentsOf: URL(filePath: history.location.database)) == bytes.prefix(bytes.count / 2))
  }

  @Test func `where its schema is damaged`() async throws {
    var bytes = try await closedHistory()
    // From the page's header on, past the file's.
    bytes.replaceSubrange(100..<4096, with: Data(repeating: 0xa5, count: 3996))
    try history.plant(bytes)
    #expect(throws: StoreError.damaged) { try history.store() }
    #expect(try Data(contentsOf: URL(filePath: history.location.database)) == bytes)
  }

  @Test(arguments: [
    "DROP TABLE clip", "DROP TABLE last_capture", "DELETE FROM last_capture", "PRAGMA user_version = 0",
  ])
  func `where it lacks what it should have`(sql: String) async throws {
    try history.plant(try await closedHistory())
    try ForeignConnection(history.location.database).run(sql)
    #expect(throws: StoreError.damaged) { try history.store() }
  }

  @Test func `where its rows are damaged, which shows as they are read`() async throws {
    var bytes = try await closedHistory()
    for start in stride(from: 4096 * 4, to: bytes.count, by: 4096) {
      bytes.replaceSubrange(start..<start + 4096, with: Data(repeating: 0xa5, count: 4096))
    }
    try history.plant(bytes)
    let store = try history.store()
    let reader = try history.reader()
    await #expect(throws: StoreError.damaged) { try await store.allIDs() }
    #expect(throws: StoreError.damaged) { try reader.newestPage(limit: 200) }
    #expect(throws: StoreError.damaged) { try reader.count() }
  }

  @Test func `where a text is no text`() async throws {
    let store = try history.store()
    let other = try ForeignConnection(history.location.database)
    other.run("INSERT INTO clip VALUES (1, 0, 1, NULL, CAST(x'ff' AS TEXT)), (2, 0, 0, NULL, '')")
    await #expect(throws: StoreError.damaged) { try await store.text(of: 1) }
    await #expect(throws: StoreError.damaged) { try await store.text(of: 2) }
    #expect(try history.reader().newestPage(limit: 9).count == 2)
  }

  @Test func `where only its log is left`() async throws {
    let store = try history.store()
    try await store.add("one")
    let copy = try history.snapshot()
    let log = try Data(contentsOf: URL(filePath: copy.location.writeAheadLog))
    try copy.plant(Data())
    #expect(throws: StoreError.damaged) { try copy.store() }
    #expect(try Data(contentsOf: URL(filePath: copy.location.writeAheadLog)) == log)
  }
}
