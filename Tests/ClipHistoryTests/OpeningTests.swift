import Foundation
import TestSupport
import Testing

@testable import ClipHistory

struct OpeningTests {
  let history = TemporaryHistory()

  /// The path may begin with two slashes, which in a URI would begin a host name.
  @Test(arguments: ["with space", "a%41?b#c&d", "file:x", "ä 🏠", "'\"\\"], ["", "/"])
  func `the history folder's path may contain special characters`(name: String, start: String) async throws {
    let location = HistoryLocation(folder: start + history.location.folder + "/" + name)
    let store = try HistoryStore(location: location, digest: testDigest)
    try await store.add("one")
    #expect(FileManager.default.fileExists(atPath: location.database))
    #expect(try HistoryReader(location: location).newestPage(limit: 999).count == 1)
  }

  @Test func `opening a history sets the pragmas that protect the texts`() async throws {
    let session = try HistoryOpener(history.location).openShared()
    for (pragma, value) in [
      "journal_mode": "wal", "synchronous": "2", "secure_delete": "1", "trusted_schema": "0",
      "temp_store": "2", "journal_size_limit": "4194304", "application_id": "1129345908",
      "user_version": "\(Schema.version)",
    ] {
      let found = try session.database.string("PRAGMA \(pragma)")
      #expect(found == value, "\(pragma)")
    }
  }

  @Test func `opening a history of the current version does not change the file`() async throws {
    try await history.record("one")
    let before = try history.bytes()
    let second = try history.store()
    let reader = try history.reader()
    #expect(try reader.newestPage(limit: 999).count == 1)
    #expect(try history.bytes() == before)
    #expect(try HistoryFolder.size(of: history.location.wal) == 0)
    #expect(try await second.allIDs() == [1])
  }

  /// On a read-only mount the history is unreadable for a moment when another program opens or closes it.
  @Test func `a read that fails is repeated until it succeeds, but fewer than 100 times`() async throws {
    try await history.record("one")
    let reader = try ReopeningReader(HistoryOpener(history.location))
    var attempts = 0
    func read(failing count: Int) throws(StoreError) -> String? {
      try reader.read { reads throws(StoreError) in
        attempts += 1
        if attempts <= count { throw .readOnly }
        return try reads.database.string("SELECT text FROM clip")
      }
    }
    #expect(try read(failing: 3) == "one")
    #expect(throws: StoreError.readOnly) { try read(failing: .max) }
    #expect(attempts < 100)
  }

  /// A kill during the very first start may leave the files after any step.
  ///
  /// Readers and writers must then see an empty history.
  @Test func `a history whose creation was interrupted at any step is empty`() async throws {
    try history.makeFolder()
    let states = try await history.copies { await (try history.store()).close() }
    #expect(states.count > 5)
    for (number, state) in states.enumerated() {
      if try !state.location.isMissing {
        #expect(try ClipCursor(location: state.location).next() == nil, "state \(number)")
        #expect(try HistoryCheck(state.location).isSound, "state \(number)")
        #expect(try state.previews() == [], "state \(number)")
      }
      #expect(try await HistoryRecovery().recover(state.location) == nil, "state \(number)")
      try await state.record("one")
      #expect(try state.previews() == ["one"], "state \(number)")
      #expect(
        try state.names().allSatisfy { $0.hasPrefix("history.sqlite3") && !$0.hasSuffix("-new") },
        "state \(number)")
    }
  }

  @Test(arguments: ReleasedVersion.allCases)
  func `a history of each released version is opened, and migrated if necessary`(_ version: ReleasedVersion)
    async throws
  {
    try history.plant(version)
    // Readers may open the history before the program has migrated it.
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

  /// The first frame waits for this initialiser.
  @Test func `a history that another program has locked is opened for reading within half a second`()
    async throws
  {
    try await history.record("one")
    let other = try history.foreign()
    other.run("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
    let start = ContinuousClock.now
    let store = HistoryStore(at: history.location, digest: testDigest)
    #expect(ContinuousClock.now - start < .milliseconds(500))
    #expect(store.initialAccess.obstacle == .locked)
    other.run("COMMIT")
    await store.close()
  }

  @Test func `several processes can create and fill a new history at the same time`() async throws {
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
}
