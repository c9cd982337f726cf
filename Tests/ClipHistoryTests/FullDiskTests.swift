import Foundation
import TestSupport
import Testing

@testable import ClipHistory

@Suite(.tags(.isDurable)) struct FullDiskTests {
  let history = TemporaryHistory()

  @Test func `all writes to a history on a full disk throw and lose no clip`() async throws {
    let store = try history.store()
    let reader = try history.reader()
    for string in ["one", "two"] { try await store.add(string) }
    let deleted = try #require(try await store.delete(2))
    try await history.limitRoom {
      await #expect(throws: StoreError.diskFull) { try await store.add("three") }
      let large = String(repeating: "x", count: 100_000)
      await #expect(throws: StoreError.diskFull) { try await store.add(large) }
      await #expect(throws: StoreError.diskFull) { try await store.delete(1) }
      await #expect(throws: StoreError.diskFull) { try await store.restore(deleted) }
      await #expect(throws: StoreError.diskFull) { try await store.deleteAll() }
      await #expect(throws: StoreError.diskFull) { try await store.setLastCaptured(try ClipText("one")) }
      let shown = try reader.newestPage(limit: 9)
      #expect(shown.map(\.preview) == ["one"])
      #expect(try await store.text(of: 1) == ClipText("one"))
      #expect(await store.open() == .readOnly(.diskFull))
    }
    try await store.restore(deleted)
    try await store.add("three")
    #expect(try reader.newestPage(limit: 9).map(\.preview) == ["three", "two", "one"])
    await store.close()
    #expect(try history.isSound())
  }

  @Test func `clearing without the program on a full disk throws and deletes nothing`() async throws {
    try await history.record("one", "two")
    try await history.limitRoom {
      #expect(throws: StoreError.diskFull) { try history.location.clear() }
    }
    #expect(try history.previews() == ["two", "one"])
  }

  /// The log contains the acknowledged changes, but the database has no room for them.
  @Test func `a checkpoint that fails on a full disk is completed once there is room`() async throws {
    let store = try history.store(.init(readers: 0, retries: []))
    try await history.limitRoom(of: history.location.database) {
      for number in 1...20 { try await store.add(String(repeating: "Xq7!vanish \(number) ", count: 400)) }
      for id in 1...19 { #expect(try await store.delete(Int64(id)) != nil) }
      #expect(try history.contains("Xq7!vanish 19 "), "the log still has it")
      #expect(try history.reader().newestPage(limit: 50).map(\.id) == [20])
    }
    try await store.add("there is room again")
    #expect(try !history.contains("Xq7!vanish 19 "))
    await store.close()
    #expect(try history.reader().newestPage(limit: 50).map(\.id) == [21, 20])
  }

  @Test(arguments: [3, 5])
  func `a text too large for the disk leaves no trace, and a deleted text is still overwritten`(
    megabytes: Int
  ) async throws {
    let store = try history.store(.init(readers: 0, retries: []))
    try await store.add("Xq7!vanish")
    try await history.limitRoom(to: 4 << 20) {
      let text = String(repeating: "Xq7!refused ", count: megabytes << 20 / 12)
      await #expect(throws: StoreError.diskFull) { try await store.add(text) }
      try await store.delete(1)
      #expect(try !history.contains("Xq7!"))
    }
    await store.close()
  }

  /// The deleted text's pages are still in the file, so only the log needs room.
  @Test func `a large text is restored on a disk with room for one more copy`() async throws {
    let store = try history.store(.init(readers: 0, retries: []))
    try await store.add(.repetition(of: "a", count: 3 << 20))
    try await history.limitRoom(to: 7 << 20) {
      let deleted = try #require(try await store.delete(1))
      #expect(try await store.restore(deleted).byteCount == 3 << 20)
    }
    await store.close()
    #expect(try history.isSound())
  }

  @Test func `a recovery on a full disk changes nothing, and needs little more room than a second history`()
    async throws
  {
    try await history.record((1...24).map { String(repeating: "clip \($0) ", count: 100_000) })
    history.markDamaged()
    let (before, names) = (try history.bytes(), try history.names().sorted())
    try await history.limitRoom(to: 30_000) {
      await #expect(throws: StoreError.diskFull) { try await history.recovered() }
    }
    #expect(try history.bytes() == before)
    #expect(try history.names().sorted() == names)
    try await history.limitRoom(to: before.count + (9 << 20)) {
      let outcome = try await history.recovered()
      #expect(outcome.clipCount == 24)
    }
  }

  /// SQLite creates the index of its log even for reading.
  @Test(.tags(.worksWithoutWriting), arguments: [ENOSPC, EDQUOT], [true, false])
  func `a history that was opened on a full disk is readable, and writable once there is room`(
    code: Int32, hasLog: Bool
  ) async throws {
    let history = try await filledHistory(withLog: hasLog)
    let (store, reader) = try await FileCalls.observe(history.location.folder, kinds: [.index]) { _ in
      code
    } during: {
      try await expectReadable(history, obstacle: .diskFull)
      let (store, reader) = (try history.store(), try history.reader())
      #expect(await store.open() == .readOnly(.diskFull))
      return (store, reader)
    }
    #expect(await store.open() == .readWrite)
    try await store.add("next")
    #expect(try reader.newestPage(limit: 9).map(\.preview) == ["next", "two", "one"])
    await store.close()
    #expect(try history.isSound())
  }

  /// The readers must not continue to read without locks, because they could read another program's partial write.
  @Test func `readers that were opened on a full disk show other programs' writes once there is room`()
    async throws
  {
    let history = try await filledHistory(withLog: false)
    let (store, reader, clips) = try await FileCalls.observe(history.location.folder, kinds: [.index]) { _ in
      ENOSPC
    } during: {
      let (store, reader) = (try history.store(), try history.reader())
      let clips = try ClipCursor(location: history.location)
      #expect(try clips.next()?.text == ClipText("one"))
      return (store, reader, clips)
    }
    // The other program writes to the log. Closing its connection moves the changes into the database.
    try history.run("DELETE FROM clip WHERE id = 2; INSERT INTO clip VALUES (9, 9, 1, NULL, '9')")
    #expect(try reader.newestPage(limit: 9).map(\.preview) == ["9", "one"])
    #expect(try await store.allIDs() == [1, 9])
    #expect(try clips.next()?.text == ClipText("9"))
    #expect(try clips.next() == nil)
    #expect(try !history.isMarked())
    await store.close()
  }
}

extension TemporaryHistory {
  /// Runs `body` while all files, or only `file`, can grow by at most `room` bytes.
  func limitRoom(to room: Int = 0, of file: String? = nil, during body: () async throws -> Void) async throws
  {
    let limit = size(of: file) + room
    try await FileCalls.observe(location.folder, kinds: [.write, .allocation]) { [self] call in
      guard call.path == file ?? call.path else { return 0 }
      return size(of: file) + call.growth > limit ? ENOSPC : 0
    } during: {
      try await body()
    }
  }
}

extension TemporaryHistory {
  /// The size of a file, or of all files except the log's index.
  fileprivate func size(of file: String?) -> Int {
    let paths =
      file.map { [$0] } ?? files.filter { !$0.hasSuffix("-shm") } + location.unfinishedRecovery.files
    return paths.reduce(0) { sum, path in
      var status = stat()
      return stat(path, &status) == 0 ? sum + Int(status.st_size) : sum
    }
  }
}

/// Creates a history of "one" and "two"; `withLog` leaves "two" only in the log.
func filledHistory(withLog: Bool) async throws -> TemporaryHistory {
  let history = TemporaryHistory()
  try await history.record("one")
  let store = try history.store()
  try await store.add("two")
  // After a crash, the log remains and its index is lost.
  let copy = try history.snapshot()
  await store.close()
  return withLog ? copy : history
}

/// Expects that every way to read the history works, and that writes throw `obstacle`.
func expectReadable(_ history: TemporaryHistory, obstacle: StoreError) async throws {
  let store = try history.store()
  #expect(store.initialAccess.obstacle == obstacle)
  #expect(try history.previews() == ["two", "one"])
  #expect(try await store.allIDs() == [1, 2])
  #expect(try await store.text(of: 2) == ClipText("two"))
  await #expect(throws: obstacle) { try await store.add("three") }
  await #expect(throws: obstacle) { try await store.delete(1) }
  #expect(try history.location.text(ofNewest: 1) == ClipText("two"))
  let check = try HistoryCheck(history.location)
  #expect(check.isSound && check.clipCount == 2)
  let clips = try ClipCursor(location: history.location)
  #expect(try clips.next()?.text == ClipText("one"))
  #expect(try clips.next()?.text == ClipText("two"))
  await store.close()
}
