import Foundation
import TestSupport
import Testing

@testable import ClipHistory

struct ReplacementTests {
  let history = TemporaryHistory()

  /// What another program removes, and whether it puts another history in its place.
  enum Removal: CaseIterable { case folder, files, filesForOthers }

  @Test(arguments: Removal.allCases)
  func `writes throw after the history or its folder was removed or replaced`(_ removal: Removal) async throws
  {
    let other = TemporaryHistory()
    try await other.record("the other's")
    let (store, reader) = (try history.store(), try history.reader())
    for string in ["one", "two"] { try await store.add(string) }
    let deleted = try #require(try await store.delete(2))
    #expect(!reader.isReplaced)
    for path in removal == .folder ? [history.location.folder] : history.files {
      try FileManager.default.removeItem(atPath: path)
    }
    if removal == .filesForOthers {
      try FileManager.default.moveItem(atPath: other.location.database, toPath: history.location.database)
    }
    #expect(reader.isReplaced)
    #expect(try reader.newestPage(limit: 9).map(\.preview) == ["one"], "it goes on showing what it has")
    let text = try ClipText("lost")
    await #expect(throws: StoreError.replaced) { try await store.record(text, at: 1) }
    await #expect(throws: StoreError.replaced) {
      try await store.recordExplicitly(text, at: 1, fromClipboard: true)
    }
    await #expect(throws: StoreError.replaced) { try await store.setLastCaptured(text) }
    await #expect(throws: StoreError.replaced) { try await store.delete(1) }
    await #expect(throws: StoreError.replaced) { try await store.restore(deleted) }
    await #expect(throws: StoreError.replaced) { try await store.deleteAll() }
    #expect(try await store.text(of: 1) == ClipText("one"), "what is shown can still be copied")
    // A history is created only while no program has the folder open.
    if removal == .files { await store.close() }
    let next = try history.store()
    try await next.add("from then on")
    // Closing the old store must not remove the log of the new store.
    await store.close()
    try await next.add("and on")
    let others = removal == .filesForOthers ? ["the other's"] : []
    #expect(try history.previews() == ["and on", "from then on"] + others)
  }

  /// A backup with more rows than the history, whose log would overwrite the backup's pages.
  private func backup(_ count: Int = 300) async throws -> TemporaryHistory {
    let other = TemporaryHistory()
    try await other.record()
    try other.fill(count)
    return other
  }

  private func restore(_ backup: TemporaryHistory) throws {
    try #require(rename(backup.location.database, history.location.database) == 0)
  }

  /// Only the database is replaced; the log of the old file stays in its place.
  @Test(.tags(.leavesReplacedFiles), arguments: [false, true])
  func `a backup that replaces the open database gets nothing of the old log`(isRead: Bool) async throws {
    let store = try history.store(.init(readers: 0))
    for number in 1...10 { try await store.add("old \(number)") }
    // A reader prevents the old log from being emptied.
    let reader = isRead ? try history.foreignReader() : nil
    try restore(try await backup())
    let readable = try history.previews()
    #expect(readable.count == 300 && !readable.contains("old 10"))
    #expect(try ClipCursor(location: history.location).next()?.text == ClipText("row 1"))
    await #expect(throws: StoreError.replaced) { try await store.add("new") }
    #expect(await store.reopen() == .readWrite)
    try await store.add("new")
    #expect(try history.previews().prefix(2) == ["new", "row 300"])
    #expect(try await store.allIDs().count == 301)
    await store.close()
    withExtendedLifetime(reader) {}
    #expect(try HistoryCheck(history.location).isSound)
    #expect(try history.previews().count == 301)
  }

  @Test(.tags(.leavesReplacedFiles))
  func `a backup that replaces the database before the end of the program stays as it is`() async throws {
    let store = try history.store()
    for number in 1...10 { try await store.add("old \(number)") }
    let backup = try await backup()
    let bytes = try backup.bytes()
    try restore(backup)
    await store.close()
    #expect(try history.bytes() == bytes)
    #expect(try history.previews().count == 300)
  }

  /// The marker of the `WALPairing`, as numbers.
  private var marker: [UInt64] {
    get throws {
      let bytes = try Data(contentsOf: URL(filePath: history.location.hostMarker))
      return bytes.withUnsafeBytes { Array($0.bindMemory(to: UInt64.self)) }
    }
  }

  private func write(marker: [UInt64]) throws {
    try marker.withUnsafeBytes { Data($0) }.write(to: URL(filePath: history.location.hostMarker))
  }

  /// - Parameter isNumberReused: whether the file system gives the backup the inode number of the old file, as it does
  ///   for a backup from another file system.
  @Test(.tags(.leavesReplacedFiles), .serialized, arguments: [false, true])
  func `a backup that is restored after a kill is not overwritten by the log, which is set aside`(
    isNumberReused: Bool
  ) async throws {
    try await handing(history.location.folder, as: "killed") {
      await #expect(processExitsWith: .signal(SIGKILL)) {
        let location = HistoryLocation(folder: try handed("killed")[0])
        let store = try HistoryStore(location: location, digest: testDigest)
        for number in 1...10 { try await store.add("old \(number)") }
        kill(getpid(), SIGKILL)
      }
    }
    // The folder may also be copied as a whole, which changes both inodes.
    #expect(try await history.snapshot().store().allIDs().count == 10)
    try restore(try await backup())
    if isNumberReused {
      let inode = try #require(try HistoryFolder.state(of: history.location.database)?.inode)
      try write(marker: [UInt64(inode)] + marker.dropFirst())
    }
    #expect(try history.previews().count == 300)
    let store = try history.store()
    #expect(store.wasReplaced)
    #expect(try await store.allIDs().count == 300)
    let aside = try history.names().filter { $0.hasPrefix("history-damaged-") }
    #expect(aside.count == 1 && aside[0].hasSuffix(".sqlite3-wal"))
    try await store.deleteAll()
    #expect(try !history.names().contains(aside[0]))
    await store.close()
    #expect(try !history.store().wasReplaced)
  }

  @Test func `a log is set aside only if the database has provably been replaced`() async throws {
    let store = try history.store()
    try await store.add("one")
    try #require(try marker.count == 4)
    let (database, log) = (Array(try marker.prefix(2)), Array(try marker.suffix(2)))
    let (inode, birth, logInode) = (database[0], database[1], log[0])
    func isBroken(_ marker: [UInt64]) throws -> Bool {
      try write(marker: marker)
      return try WALPairing.isBroken(history.location)
    }
    #expect(try !isBroken(database + log))
    #expect(try isBroken([inode + 1, birth] + log))
    // Some file systems and older kernels do not tell when a file was created.
    #expect(try isBroken([inode, birth + 1] + log) == (birth != 0))
    // The folder was restored as a whole; the log's number may be assigned again.
    #expect(try !isBroken([inode + 1, birth + 1, logInode + 1, log[1]]))
    #expect(try isBroken([inode + 1, birth + 1, logInode, log[1] + 1]) == (birth == 0))
    #expect(try !isBroken([inode, 0, logInode, 0]))
    #expect(try isBroken([inode + 1, 0, logInode, 0]))
    // An unfinished marker, or another version's.
    #expect(try !isBroken([inode + 1, logInode]))
    #expect(try !isBroken([]))
    await store.close()
  }

  @Test func `damage in a replaced file does not condemn the file in its place`() async throws {
    let store = try history.store()
    try await store.add(String(repeating: "one ", count: 4_000))
    try history.run("PRAGMA wal_checkpoint(TRUNCATE)")
    let old = history.location.database + "-old"
    try FileManager.default.moveItem(atPath: history.location.database, toPath: old)
    try history.damage(old) { $0.destroy(8192..<$0.count) }
    let other = TemporaryHistory()
    try await other.record("the other's")
    try restore(other)
    await #expect(throws: StoreError.replaced) { _ = try await store.text(of: 1) }
    #expect(try !history.isMarked())
    await store.close()
  }

  /// Rows that were written to a removed log would be lost by a crash.
  @Test(arguments: [["-wal"], ["-shm"], ["-wal", "-shm"]])
  func `writes throw after the log was removed, and reopening keeps everything`(_ removed: [String])
    async throws
  {
    let (store, reader) = (try history.store(), try history.reader())
    for string in ["one", "two"] { try await store.add(string) }
    try await store.delete(2)
    #expect(!reader.isReplaced)
    for end in removed { unlink(history.location.database + end) }
    #expect(reader.isReplaced)
    await #expect(throws: StoreError.replaced) { try await store.add("three") }
    // The window closes the store before its reader.
    await store.close()
    reader.close()
    let copy = try history.snapshot()
    #expect(try copy.previews() == ["one"])
    try await history.store().add("three")
    #expect(try history.previews() == ["three", "one"])
    #expect(try history.isSound())
  }
}
