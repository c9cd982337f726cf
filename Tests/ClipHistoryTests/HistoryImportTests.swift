import CSQLite
import Foundation
import TestSupport
import Testing

@testable import ClipHistory

@Suite(.tags(.forgets)) struct HistoryImportTests {
  let history = TemporaryHistory()
  private static let now: Int64 = 1_800_000_000_000_000

  /// Imports clips and returns, for each of them, whether it was new.
  @discardableResult
  private func add(_ clips: [(String, Int64)], now: Int64 = Self.now) async throws -> [Bool] {
    let adding = try await history.onceAlone { try HistoryImport(history.location, at: now) }
    let added = try clips.map { try adding.add(try ClipText($0.0), capturedAt: $0.1) }
    try adding.finish()
    return added
  }

  private func record(_ clips: [(String, Int64)]) async throws {
    let store = try history.store()
    for (text, time) in clips { try await store.add(text, at: time) }
    await store.close()
  }

  /// Returns the text and time of each clip, oldest first.
  private func found(in other: TemporaryHistory? = nil) throws -> [String] {
    let clips = try ClipCursor(location: (other ?? history).location)
    var found: [String] = []
    while let clip = try clips.next() {
      found.append("\(String(decoding: clip.text.bytes, as: UTF8.self)) \(clip.capturedAt)")
    }
    return found
  }

  /// All clips are already on disk, in the log.
  @Test func `an import succeeds even if its final checkpoint fails`() async throws {
    try await record([])
    try await history.limitRoom(of: history.location.database) {
      try await add((1...50).map { (String(repeating: "clip \($0) ", count: 50), 1) })
    }
    #expect(try history.previews().count == 50)
    #expect(try await history.store().allIDs().count == 50)
  }

  /// A disk that reports a failure may still hold all writes, and the next start then finds the clips.
  @Test(arguments: [false, true])
  func `an import whose commit fails is in the history as a whole or not at all, and can be repeated`(
    isWritten: Bool
  ) async throws {
    try await record([])
    let store = try history.store()
    try await store.add("x", at: 100)
    // SQLite keeps a log whose older rows it cannot move into the database.
    let history = try history.snapshot()
    await store.close()
    let clips = (1...50).map { ("clip \($0)", Int64(200)) }
    do {
      let adding = try await history.onceAlone { try HistoryImport(history.location, at: Self.now) }
      for (text, time) in clips { _ = try adding.add(try ClipText(text), capturedAt: time) }
      try await FileCalls.observe(history.location.folder, kinds: isWritten ? [.sync] : [.write]) { _ in
        EIO
      } during: {
        #expect(throws: StoreError.self) { try adding.finish() }
      }
    }
    let copy = try history.snapshot()
    #expect(try [1, 51].contains(copy.previews().count))
    let again = try await copy.onceAlone { try HistoryImport(copy.location, at: Self.now) }
    for (text, time) in clips { _ = try again.add(try ClipText(text), capturedAt: time) }
    try again.finish()
    #expect(try copy.previews().count == 51)
  }

  /// An import, and the history after it.
  @Test func `an import into a file that was replaced meanwhile throws`() async throws {
    try await history.record("one")
    let pending = try HistoryImport(history.location, at: 1)
    _ = try pending.add(try ClipText("two"), capturedAt: 1)
    let other = TemporaryHistory()
    try await other.record("the other's")
    try #require(rename(other.location.database, history.location.database) == 0)
    #expect(throws: StoreError.replaced) { try pending.finish() }
  }

  struct Merge: Sendable {
    var existing: [(String, Int64)] = []
    let imported: [(String, Int64)]
    let result: [String]
    /// The ids of `result`.
    let ids: [Int64]
    /// How many of `imported` the history does not have yet, if not all.
    var addedCount: Int?
    var now = HistoryImportTests.now
  }

  private static let large = String(repeating: "large ", count: 5_000)

  private static let merges = [
    Merge(
      imported: [("a", 5), ("b", 5), ("a", 6), (large, 3), ("c", 0), ("d", .max)],
      result: ["a 5", "b 5", "a 6", "\(large) 3", "c 0", "d 0"], ids: [1, 2, 3, 4, 5, 6]),
    // Existing clips after a new one get new ids, because an old id must not refer to another text.
    Merge(
      existing: [("x", 100), ("y", 101)], imported: [("a", 1), ("b", 2)],
      result: ["a 1", "b 2", "x 100", "y 101"], ids: [3, 4, 5, 6]),
    Merge(
      existing: [("x", 100), ("y", 101)], imported: [("a", 101), ("b", 200)],
      result: ["x 100", "y 101", "a 101", "b 200"], ids: [1, 2, 3, 4]),
    Merge(
      existing: [("x", 100), ("y", 200), ("z", 300)],
      imported: [("a", 50), ("b", 150), ("c", 250), ("d", 350)],
      result: ["a 50", "x 100", "b 150", "y 200", "c 250", "z 300", "d 350"], ids: [4, 8, 9, 10, 11, 12, 13]),
    // A clip without a usable time follows its predecessor in the import.
    Merge(
      existing: [("x", 100), ("y", 300)],
      imported: [("a", 50), ("future", 2 * now), ("b", 60), ("unknown", 0), ("past", 1), ("c", 200)],
      result: ["a 50", "future \(2 * now)", "b 60", "unknown 0", "past 1", "x 100", "c 200", "y 300"],
      ids: [3, 4, 5, 6, 7, 9, 10, 11]),
    // A file made of two backups has most items twice.
    Merge(
      imported: [("a", 5), ("b", 6), ("c", 0), ("a", 5), ("b", 6), ("c", 0)], result: ["a 5", "b 6", "c 0"],
      ids: [1, 2, 3], addedCount: 3),
    // Repetitions follow clips with the same time, earlier and later ones, before and after the first earlier clip.
    Merge(
      existing: [("x", 100), ("y", 100)],
      imported: [
        ("a", 101), ("b", 102), ("c", 102), ("b", 102), ("y", 100), ("a", 101), ("c", 102), ("d", 103),
        ("b", 102), ("d", 103), ("e", 99), ("f", 104), ("d", 103), ("e", 99), ("f", 104),
      ],
      result: ["x 100", "y 100", "a 101", "b 102", "c 102", "d 103", "e 99", "f 104"],
      ids: [1, 2, 3, 4, 5, 6, 7, 8], addedCount: 6),
    Merge(
      existing: [("x", 100)], imported: [("x", 100), ("y", 100), ("y", 100), ("x", 100)],
      result: ["x 100", "y 100"], ids: [1, 2], addedCount: 1),
    Merge(
      imported: [("a", 0), ("b", 0), ("a", 0), ("c", 5), ("b", 0), ("c", 5)],
      result: ["a 0", "b 0", "c 5"], ids: [1, 2, 3], addedCount: 3),
    Merge(
      existing: [("x", 100), ("y", 200)], imported: [("x", 100), ("x", 150), ("y", 100), ("z", 250)],
      result: ["x 100", "x 150", "y 100", "y 200", "z 250"], ids: [1, 3, 4, 6, 7], addedCount: 3),
    // A computer without a clock battery starts with an implausible time.
    Merge(
      existing: [("x", now + 100), ("y", now + 200)], imported: [("a", now + 50), ("b", now + 150)],
      result: ["a \(now + 50)", "x \(now + 100)", "b \(now + 150)", "y \(now + 200)"], ids: [3, 5, 6, 7],
      now: 3_600_000_000),
  ]

  @Test(arguments: merges)
  func `an import merges new clips with existing clips by time, and a second time adds nothing`(
    _ merge: Merge
  ) async throws {
    try await record(merge.existing)
    let added = try await add(merge.imported, now: merge.now)
    #expect(added.count { $0 } == merge.addedCount ?? merge.imported.count)
    let again = try await add(merge.imported, now: merge.now)
    #expect(!again.contains(true))
    #expect(try found() == merge.result)
    let store = try history.store()
    #expect(try await store.allIDs() == merge.ids)
    #expect(try await store.add("next", at: Self.now).id == merge.ids.last.map { $0 + 1 })
    await store.close()
    #expect(try HistoryCheck(history.location).isSound)
  }

  @Test func `an import that adds nothing keeps the last check for expired clips`() async throws {
    try await record([("x", 100)])
    try history.run("UPDATE last_look SET wall_time = 7")
    try await add([("x", 100)])
    #expect(try history.foreign().rows("SELECT wall_time FROM last_look") == ["7"])
    try await add([("y", 100)])
    #expect(try history.foreign().rows("SELECT wall_time FROM last_look") == ["0"])
  }

  /// Counts the steps of SQLite's virtual machine.
  @Test func `importing clips of one size with only two times takes a linear number of steps`() throws {
    func steps(for count: Int) throws -> Int {
      let history = TemporaryHistory()
      let texts = try (0..<count).map { try ClipText("\(10_000 + $0)") }
      var steps = 0
      for _ in 1...2 {
        let adding = try HistoryImport(history.location, at: Self.now)
        let handle = adding.connection.database.handle
        try withUnsafeMutablePointer(to: &steps) { steps in
          let counting: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { steps in
            steps?.assumingMemoryBound(to: Int.self).pointee += 1
            return 0
          }
          sqlite3_progress_handler(handle, 10, counting, steps)
          for (number, text) in zip(Int64(0)..., texts) { _ = try adding.add(text, capturedAt: number % 2) }
        }
        sqlite3_progress_handler(handle, 0, nil, nil)
        try adding.finish()
      }
      return steps
    }
    #expect(try steps(for: 2_000) < 20 * steps(for: 200))
  }

  @Test(arguments: [Int64.max, Int64.max - 1, Schema.largestID + 1] as [Int64])
  func `importing into a history with an impossible id throws`(id: Int64) async throws {
    try await record([("x", 100)])
    try history.insert("(\(id), 200, 1, 'y'); UPDATE sqlite_sequence SET seq = 1")
    await #expect(throws: StoreError.damaged) { try await add([("x", 100)]) }
    #expect(try history.isMarked(), "the next start recovers it")
  }

  /// In such a file, a search may continue at an earlier row.
  @Test func `importing into a history with rows out of order throws`() async throws {
    try await record([("x", 100), ("y", 200), ("z", 300)])
    // A search on a damaged page may return an earlier row.
    let database = try Database(path: history.location.database, access: .readOnly, lockTimeout: 0)
    let damaged = try Statement("SELECT id FROM clip WHERE id = ?1 - 1 AND ?2 > 0", on: database)
    var start: Int64? = 2
    #expect(throws: StoreError.damaged) { try damaged.nextClip(from: &start) { _ in } }
    try history.swapRow(1)
    await #expect(throws: StoreError.damaged) { try await add([("a", 50)]) }
    #expect(try history.isMarked(), "the next start recovers it")
  }

  @Test func `if an import has moved clips, deleting them removes their text from the files`() async throws {
    try await record(
      (1...60).map { ("Xq7!vanish \($0) " + String(repeating: "x", count: 300), Int64($0) * 10) })
    try await add((1...60).map { ("other \($0)", Int64($0) * 10 + 5) })
    let store = try history.store()
    for id in try await store.allIDs() {
      guard try await store.text(of: id)?.bytes.starts(with: Array("Xq7!".utf8)) == true else { continue }
      try await store.delete(id)
    }
    #expect(try !history.contains("Xq7!vanish"))
  }

  @Test func `killing an import at any write leaves all of its clips or none`() async throws {
    func clips(_ word: String, after time: Int64) -> [(String, Int64)] {
      (1...150).map { ("\(word) \($0) " + String(repeating: ".", count: 200), Int64($0) * 10 + time) }
    }
    try await record(clips("old", after: 0))
    let before = try found()
    let states = try await history.copies(before: [.write, .truncate]) {
      try await add(clips("new", after: 5))
    }
    let after = try found()
    #expect(after.count == 300 && states.count > 30)
    var outcomes: Set<Bool> = []
    for (number, state) in states.enumerated() {
      await (try state.store()).close()
      let left = try found(in: state)
      outcomes.insert(left == after)
      #expect(left == before || left == after, "write \(number)")
      #expect(try HistoryCheck(state.location).isSound, "write \(number)")
    }
    #expect(outcomes == [true, false])
  }
}
