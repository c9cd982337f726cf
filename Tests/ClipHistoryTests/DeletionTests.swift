import Foundation
import TestSupport
import Testing

@testable import ClipHistory

@Suite(.tags(.forgets)) struct DeletionTests {
  let history = TemporaryHistory()

  @Test(arguments: [20, 300, 401, 5_000, 1_000_000])
  func `deleting a clip removes its text from the files immediately`(size: Int) async throws {
    let store = try history.store()
    try await store.add("what stays")
    let secret = String(repeating: "Xq7!vanish ", count: size / 11 + 1)
    let clip = try await store.add(secret)
    try await store.add("what came after")
    #expect(try history.contains("Xq7!vanish"))

    #expect(try await store.delete(clip.id) != nil)
    #expect(try !history.contains("Xq7!vanish"))
    #expect(try history.contains("what stays"))
    await store.close()
    #expect(try !history.contains("Xq7!vanish"))
  }

  /// With `secure_delete` alone this test fails: SQLite leaves copies of rows when it balances its tree.
  @Test(arguments: [1, 2, 3])
  func `deleting a clip removes its text wherever SQLite has moved its row`(seed: UInt64) async throws {
    let store = try history.store()
    var random = SplitMix(seed: seed)
    var living: [(id: Int64, marker: String)] = []
    for number in 0..<400 {
      if number < 150 || living.isEmpty || Int.random(in: 0..<10, using: &random) < 4 {
        let marker = "<\(String(number * 7919 + 1_000_003, radix: 36))>"
        let size = [11, 40, 200, 390, 450, 900, 1_800, 3_500, 4_100].randomElement(using: &random) ?? 11
        let clip = try await store.add(String(repeating: marker, count: size / marker.count + 1))
        living.append((clip.id, marker))
      } else {
        let victim = living.remove(at: Int.random(in: living.indices, using: &random))
        try await store.delete(victim.id)
        #expect(try !history.contains(victim.marker), "clip \(victim.id)")
        #expect(try history.unusedBytes() == 0, "clip \(victim.id)")
      }
    }
    await store.close()
    #expect(try history.isSound())
    #expect(try await history.store().allIDs() == living.map(\.id).sorted())
  }

  /// Deletes a text while another program reads the history, so that the log keeps the text.
  private func keepInLog(
    retries: Int = 0, clears: Bool = false
  ) async throws -> (HistoryStore, ForeignConnection) {
    let retries = Array(repeating: Duration.milliseconds(20), count: retries)
    let store = try history.store(HistoryStore.LockTimeouts(readers: 0, retries: retries))
    let clip = try await store.add("Xq7!vanish")
    let other = try history.foreignReader()
    if clears { try await store.deleteAll() } else { #expect(try await store.delete(clip.id) != nil) }
    #expect(try history.previews() == [])
    #expect(try history.contains("Xq7!vanish"), "the log still has it")
    #expect(try other.rows("SELECT text FROM clip") == ["Xq7!vanish"], "it still reads what it saw")
    return (store, other)
  }

  enum Step: CaseIterable { case closing, capture, undo, retry, retryAfterClearing }

  /// If the store is closed, its log outlives it, because another program still has the history open.
  @Test(arguments: Step.allCases)
  func `a deleted text that a reader kept in the log is removed after the read`(_ step: Step) async throws {
    let first = try history.store()
    let undone = try #require(try await first.delete(try await first.add("what comes back").id))
    let waits = step == .retry || step == .retryAfterClearing
    let (store, other) = try await keepInLog(retries: waits ? 6000 : 0, clears: step == .retryAfterClearing)
    other.run("COMMIT")
    if !waits { #expect(try history.contains("Xq7!vanish")) }
    switch step {
    case .closing: await store.close()
    case .capture: try await store.add("the next one")
    case .undo: try await store.restore(undone)
    case .retry, .retryAfterClearing: _ = try await eventually { try !history.contains("Xq7!vanish") }
    }
    #expect(try !history.contains("Xq7!vanish"))
    withExtendedLifetime((first, store, other)) {}
  }

  @Test func `the next start removes a deleted text that a crash left in the log`() async throws {
    let kept = try await keepInLog()
    let crashed = try history.snapshot()
    withExtendedLifetime(kept) {}
    #expect(try crashed.contains("Xq7!vanish"), "otherwise this proves nothing")
    let restarted = try crashed.store(HistoryStore.LockTimeouts(retries: [.zero, .zero]))
    #expect(try await eventually { try !crashed.contains("Xq7!vanish") })
    #expect(try await restarted.allIDs() == [])
  }

  @Test func `a clip is deleted once, and its id is not reused after a relaunch`() async throws {
    let store = try history.store()
    for string in ["one", "two"] { try await store.add(string) }
    #expect(try await store.delete(2) != nil)
    #expect(try await store.delete(2) == nil)
    #expect(try await store.delete(4711) == nil)
    #expect(try await store.text(of: 2) == nil)
    #expect(try await store.add("three").id == 3)
    for id: Int64 in [1, 3] { try await store.delete(id) }
    #expect(try history.previews() == [])
    await store.close()
    #expect(try await history.store().add("four").id == 4)
  }

  // MARK: - Undo

  @Test(arguments: [3, 400, 401, 100_000])
  func `a restored clip has its former place, time and bytes`(size: Int) async throws {
    let store = try history.store()
    let string = String(String(repeating: "e\u{301}\r\n\t", count: size / 6 + 1).prefix(size))
    try await store.add("before", at: 10)
    let clip = try await store.add(string, at: 20)
    try await store.add("after", at: 30)
    let before = try history.reader().newestPage(limit: 9)

    let deleted = try #require(try await store.delete(clip.id))
    #expect(deleted.id == clip.id && deleted.capturedAt == 20 && deleted.byteCount == clip.byteCount)
    #expect(try history.previews() == ["after", "before"])
    #expect(try await store.restore(deleted) == clip)
    #expect(try history.reader().newestPage(limit: 9) == before)
    #expect(try await store.text(of: clip.id) == ClipText(string))
  }

  @Test func `a clip can be restored after a relaunch, once, and does not become the last captured text`()
    async throws
  {
    let store = try history.store()
    try await store.add("one")
    let deleted = try #require(try await store.delete(1))
    await store.close()
    let second = try history.store()
    try await second.add("two")
    try await second.restore(deleted)
    #expect(try await second.allIDs() == [1, 2])
    await #expect(throws: StoreError.alreadyThere) { try await second.restore(deleted) }
    #expect(try await second.allIDs() == [1, 2])
    #expect(try await second.record(try ClipText("two"), at: 1) == .duplicate)
    try await second.add("one")
  }

  // MARK: - Clearing

  @Test func `clearing the history overwrites every text and shrinks the file`() async throws {
    let store = try history.store()
    for number in 1...300 { try await store.add(String(repeating: "Xq7!vanish \(number) ", count: number)) }
    try await store.deleteAll()
    #expect(try !history.contains("Xq7!vanish"))
    #expect(try #require(try HistoryFolder.size(of: history.location.database)) <= 10 * 4096)
    #expect(try HistoryFolder.size(of: history.location.wal) == 0)
    #expect(try history.previews() == [])
    await store.close()
    #expect(try history.isSound())
    #expect(try history.foreign().rows("PRAGMA application_id") == ["\(Schema.applicationID)"])
  }

  /// InterruptionTests clears histories with other files.
  @Test func `clearing a damaged history removes all files set aside, too`() async throws {
    try await history.record("one", "two")
    history.markDamaged()
    try await history.expectRecovery(of: 2)
    try history.damage { $0.destroy(0..<4096) }
    #expect(throws: StoreError.damaged) { try history.store() }
    #expect(try history.location.clear() == 2)
    #expect(try history.names() == ["history.sqlite3"])
    let store = try history.store()
    #expect(try await store.record(try ClipText("two"), at: 1) == .duplicate)
    #expect(try await store.add("three").id == 3, "ids are not reused")
  }

  @Test(arguments: ["SELECT 1", "PRAGMA auto_vacuum = FULL; VACUUM"])
  func `clearing without the program deletes every text, and keeps the last capture's fingerprint`(
    sql: String
  ) async throws {
    try await history.record("Xq7!one", "Xq7!two")
    try history.run(sql)
    let aside = history.location.folder + "/history-damaged-2026-11-21-190626.sqlite3"
    for path in [aside, aside + "-wal"] { try Data("Xq7!".utf8).write(to: URL(filePath: path)) }
    #expect(try history.location.clear() == 2)
    #expect(try history.names() == ["history.sqlite3"] && !history.contains("Xq7!"))
    try Data("Xq7!".utf8).write(to: URL(filePath: aside + "-wal"))
    #expect(history.location.hasQuarantine)
    #expect(try history.location.clear() == 0 && !history.location.hasQuarantine)
    let store = await history.store(after: .diskFull)
    #expect(try await store.record(try ClipText("Xq7!two"), at: 1) == .duplicate)
    await store.close()
  }

  @Test func `clearing throws if another program's read keeps the texts in the log`() async throws {
    try await history.record("Xq7!vanish")
    let reader = try history.foreignReader()
    #expect(throws: StoreError.locked) { try history.location.clear() }
    #expect(try history.previews() == [] && history.contains("Xq7!vanish"))
    reader.run("COMMIT")
    #expect(try history.location.clear() == 0)
    #expect(try !history.contains("Xq7!vanish"))
  }

  @Test func `a store says whether deleted texts may still be in its files`() async throws {
    let store = try history.store(.init(readers: 0, retries: []))
    try await store.add("Xq7!vanish")
    let reader = try history.foreignReader()
    try await store.deleteAll()
    #expect(try await store.mayHoldDeletedTexts() && history.contains("Xq7!vanish"))
    reader.run("COMMIT")
    #expect(try await !store.mayHoldDeletedTexts() && !history.contains("Xq7!vanish"))
  }

  @Test(arguments: [(RetentionPeriod.forever, 29, 31), (.year, 29, 31), (.week, 6, 8)])
  func `files that recoveries have set aside expire after 30 days, or after a shorter retention period`(
    period: RetentionPeriod, kept: Int, expired: Int
  ) async throws {
    let store = try history.store()
    // Two files of the same second have a number behind the date.
    let names = ["190626.sqlite3", "190626-2.sqlite3", "190626-2.sqlite3-wal"].map {
      "history-damaged-2026-11-21-" + $0
    }
    for name in names { try Data().write(to: URL(filePath: history.location.folder + "/" + name)) }
    var local = tm()
    (local.tm_year, local.tm_mon, local.tm_mday) = (126, 10, 21)
    (local.tm_hour, local.tm_min, local.tm_sec, local.tm_isdst) = (19, 6, 26, -1)
    let made = Int64(mktime(&local)) * 1_000_000
    func left(after days: Int) async throws -> Int {
      try await store.expireQuarantine(after: period, at: made + Int64(days) * RetentionPolicy.day)
      return try history.names().count { $0.hasPrefix("history-damaged-") }
    }
    #expect(try await left(after: -400) == 3)
    #expect(try await left(after: kept) == 3)
    #expect(try await left(after: expired) == 0)
    await store.close()
  }

  @Test func `clearing the history keeps the last capture's fingerprint and reuses no id`() async throws {
    let store = try history.store()
    for string in ["one", "two"] { try await store.add(string) }
    try await store.deleteAll()
    try await store.deleteAll()
    #expect(try await store.record(try ClipText("two"), at: 1) == .duplicate)
    #expect(try await store.add("three").id == 3)
  }
}
