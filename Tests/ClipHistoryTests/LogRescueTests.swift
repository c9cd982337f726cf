import Foundation
import Testing

@testable import ClipHistory

@Suite("What only the log of a damaged history holds is carried over too")
struct LogRescueTests {
  let history: TemporaryHistory
  private let frame = 24 + 4096

  init() throws {
    history = try TemporaryHistory()
  }

  /// A history as a crash leaves it, with 40 clips, of which the log holds all.
  private func crashed() async throws -> TemporaryHistory {
    let store = try history.store()
    for number in 1...40 { try await store.add(String(repeating: "clip \(number) ", count: 30)) }
    return try history.snapshot()
  }

  private func damageLog(of copy: TemporaryHistory, _ damage: (inout Data) -> Void) throws {
    let url = URL(filePath: copy.location.writeAheadLog)
    var log = try Data(contentsOf: url)
    damage(&log)
    try log.write(to: url)
  }

  private func rescuedIDs(_ copy: TemporaryHistory) async throws -> [Int64] {
    #expect(throws: StoreError.damaged) { try copy.store() }
    let outcome = try await copy.rescued()
    #expect(FileManager.default.fileExists(atPath: outcome.damagedFile + "-wal"))
    let store = try copy.store()
    let texts = try await store.allIDs().map { "\($0)" }
    for id in try await store.allIDs() {
      #expect(try await store.text(of: id)?.bytes == Array(String(repeating: "clip \(id) ", count: 30).utf8))
    }
    return texts.compactMap { Int64($0) }
  }

  @Test(arguments: [0, 1])
  func `where the database was emptied`(size: Int) async throws {
    let copy = try await crashed()
    try copy.plant(Data(repeating: 0x53, count: size))
    #expect(try await rescuedIDs(copy) == Array(1...40))
  }

  @Test func `where the database was removed`() async throws {
    let copy = try await crashed()
    try FileManager.default.removeItem(atPath: copy.location.database)
    #expect(throws: StoreError.damaged) { try copy.store() }
    let outcome = try await copy.rescued()
    #expect(outcome.clipCount == 40)
  }

  /// SQLite itself would take what comes before, and forget the rest without a word.
  @Test func `where a frame in its middle is damaged`() async throws {
    let copy = try await crashed()
    try damageLog(of: copy) { log in
      let start = 32 + log.count / frame / 2 * frame + 24 + 2_000
      log.replaceSubrange(start..<start + 50, with: Data(repeating: 0xff, count: 50))
    }
    #expect(try await rescuedIDs(copy).count >= 39)
  }

  @Test func `but is shown as far as SQLite reads it, where nothing can be written`() async throws {
    await #expect(processExitsWith: .success) {
      let history = try TemporaryHistory()
      let store = try history.store()
      for number in 1...40 { try await store.add(String(repeating: "clip \(number) ", count: 30)) }
      let copy = try history.snapshot()
      await store.close()
      let log = URL(filePath: copy.location.writeAheadLog)
      var bytes = try Data(contentsOf: log)
      bytes.destroy(bytes.count / 2..<bytes.count / 2 + 50)
      try bytes.write(to: log)
      chmod(copy.location.folder, 0o500)
      try TemporaryHistory.becomeOwner(of: history, copy)
      let reading = try copy.store()
      let shown = try copy.reader().newestPage(limit: 99).count
      #expect((1..<40).contains(shown))
      #expect(try await reading.allIDs().count == shown)
      await #expect(throws: StoreError.readOnly) { try await reading.add("next") }
      await reading.close()
      chmod(copy.location.folder, 0o700)
      #expect(throws: StoreError.damaged) { try copy.store() }
    }
  }

  @Test(arguments: [0..<32, 0..<4, 16..<24])
  func `where its header is damaged`(range: Range<Int>) async throws {
    let copy = try await crashed()
    try damageLog(of: copy) { $0.replaceSubrange(range, with: Data(repeating: 0xff, count: range.count)) }
    #expect(try await rescuedIDs(copy) == Array(1...40))
  }

  @Test func `but a last transaction that is incomplete is no damage`() async throws {
    let copy = try await crashed()
    try damageLog(of: copy) { $0.removeLast(100) }
    let store = try copy.store()
    #expect(try await store.allIDs() == Array(1...39))
  }

  @Test func `and what an earlier use of the log left in it is no damage`() async throws {
    let store = try history.store()
    for number in 1...40 { try await store.add(String(repeating: "clip \(number) ", count: 30)) }
    // All of it into the database, without cutting the log off.
    try history.run("PRAGMA wal_checkpoint(RESTART)")
    try await store.add("one more")
    let copy = try history.snapshot()
    #expect(try await copy.store().allIDs() == Array(1...41))
  }
}
