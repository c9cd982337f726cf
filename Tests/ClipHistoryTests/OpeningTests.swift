import Foundation
import TestSupport
import Testing

@testable import ClipHistory

@Suite("Opening a history")
struct OpeningTests {
  let history = TemporaryHistory()

  @Test func `makes it where there is none, with the folders above it`() async throws {
    let store = try history.store()
    #expect(try await store.allIDs() == [])
    #expect(try history.previews() == [])
  }

  @Test(arguments: ["with space", "a%41?b#c&d", "file:x", "ä 🏠", "'\"\\"])
  func `works whatever the folder is called`(name: String) async throws {
    let location = HistoryLocation(folder: history.location.folder + "/" + name)
    let store = try HistoryStore(location: location, digest: testDigest)
    try await store.add("one")
    #expect(FileManager.default.fileExists(atPath: location.database))
    #expect(try HistoryReader(location: location).newestPage(limit: 999).count == 1)
  }

  @Test func `sets what protects the text`() async throws {
    let session = try HistoryOpening(history.location).toWrite()
    for (pragma, value) in [
      "journal_mode": "wal", "synchronous": "2", "secure_delete": "1", "trusted_schema": "0",
      "temp_store": "2", "journal_size_limit": "4194304", "application_id": "1129345908",
      "user_version": "\(Schema.version)",
    ] {
      let found = try session.database.string("PRAGMA \(pragma)")
      #expect(found == value, "\(pragma)")
    }
  }

  @Test func `changes nothing in one that is up to date`() async throws {
    try await history.record("one")
    let before = try history.bytes()
    let second = try history.store()
    let reader = try history.reader()
    #expect(try reader.newestPage(limit: 999).count == 1)
    #expect(try history.bytes() == before)
    #expect(try HistoryFolder.size(of: history.location.writeAheadLog) == 0)
    #expect(try await second.allIDs() == [1])
  }

  /// As a power cut leaves it in the first moments of the very first start.
  @Test func `goes on with one that was never finished`() async throws {
    try history.plant(Data())
    try Data().write(to: URL(filePath: history.location.creationMarker))
    try await history.record("one")
    try history.plant(Data())
    #expect(throws: StoreError.damaged, "it was finished since") { try history.store() }
  }

  @Test(arguments: ReleasedVersion.allCases)
  func `brings one of an older version up to date`(_ version: ReleasedVersion) async throws {
    try history.plant(version)
    // Before the first start after an upgrade.
    let clips = try ClipCursor(location: history.location)
    #expect(try clips.next()?.text == ClipText("one"))
    #expect(try HistoryCheck(history.location).isSound)
    let store = try history.store()
    #expect(try history.foreign().rows("PRAGMA user_version") == ["\(Schema.version)"])
    #expect(try await store.add("three").id == 8)
    #expect(try history.previews() == ["three", "two", "one"])
    try await store.restore(try #require(try await store.delete(7)))
    #expect(try await store.allIDs() == [1, 7, 8])
  }

  @Test func `makes it with the columns by which a row is known`() async throws {
    try await history.record()
    let columns = try history.foreign().rows("SELECT replace(name, '_', '') FROM pragma_table_info('clip')")
    #expect(columns == Schema.ClipColumn.allCases.map { "\($0)".lowercased() })
  }

  @Test func `by several processes at once makes it once`() async throws {
    try await handing(history.location.folder, as: "several at once") {
      await withTaskGroup { group in
        for _ in 0..<4 {
          group.addTask {
            await #expect(processExitsWith: .success) {
              let location = HistoryLocation(folder: try handed("several at once")[0])
              let store = try HistoryStore(
                location: location, digest: testDigest, timeouts: .init(lock: 120_000))
              for capture in 0..<10 { try await store.add("\(getpid()) \(capture)") }
            }
          }
        }
      }
    }
    #expect(try await history.store().allIDs() == Array(1...40))
  }

  @Test func `by a reader before there is one makes nothing`() throws {
    #expect(throws: StoreError.self) { try history.reader() }
    #expect(history.files == [])
  }

  @Test func `by a reader before it has its tables is refused`() throws {
    try history.plant(Data())
    #expect(throws: StoreError.cannotOpen(path: history.location.database, code: 17)) { try history.reader() }
  }
}
