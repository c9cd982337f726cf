import Foundation
import TestSupport
import Testing

@testable import ClipHistory

@Suite("A damaged history is set aside, and what can be read of it carried over")
struct RescueTests {
  let history: TemporaryHistory
  private let large = String(repeating: "large e\u{301} ", count: 3_000)

  init() throws {
    history = try TemporaryHistory()
  }

  /// A closed history with 60 short texts, a large one and 60 more; answers its texts by id.
  private func fill() async throws -> [Int64: String] {
    let store = try history.store()
    var texts: [Int64: String] = [:]
    for number in 1...121 {
      let text = number == 61 ? large : String(repeating: "clip \(number) ", count: number % 50 + 1)
      texts[try await store.add(text, at: Int64(number)).id] = text
    }
    await store.close()
    return texts
  }

  /// The numbers of the pages that begin with this byte.
  private func pages(of type: UInt8, in bytes: Data) -> [Int] {
    (1..<bytes.count / 4096).filter { bytes[$0 * 4096] == type }
  }

  /// Rescues, and expects what every rescue promises; answers how many texts were lost.
  private func rescue(_ texts: [Int64: String]) async throws -> Int {
    let damaged = try history.bytes()
    #expect(throws: StoreError.damaged) { try history.store() }
    let outcome = try await history.rescued()
    #expect(try Data(contentsOf: URL(filePath: outcome.damagedFile)) == damaged, "kept as it is")
    let mode = try FileManager.default.attributesOfItem(atPath: outcome.damagedFile)[.posixPermissions]
    #expect(mode as? Int == 0o600)
    #expect(try await HistoryRescuer().rescue(history.location) == nil, "there is nothing left to do")

    let store = try history.store()
    let ids = try await store.allIDs()
    #expect(ids.count == outcome.clipCount)
    for id in ids { #expect(try await store.text(of: id) == texts[id].map { try ClipText($0) }) }
    let file = try ForeignConnection(history.location.database)
    #expect(try file.rows("PRAGMA integrity_check") == ["ok"])
    let next = try await store.add("recorded after the rescue", at: 5)
    #expect(next.id > texts.keys.max() ?? 0, "no id is given out twice")
    #expect(try history.reader().newestPage(limit: 1) == [next])
    await store.close()
    let names = try history.names()
    #expect(!names.contains { $0.contains("rescue") || $0.hasSuffix("-damaged") }, "nothing left behind")
    return texts.count - outcome.clipCount
  }

  @Test(arguments: [0..<100, 100..<4096, 0..<4096])
  func `where its first page is damaged`(range: Range<Int>) async throws {
    let texts = try await fill()
    try history.damage { $0.destroy(range) }
    #expect(try await rescue(texts) == 0)
  }

  /// A shell that looks at it meanwhile leaves such a log.
  @Test func `and an empty log is not kept with it`() async throws {
    _ = try await fill()
    history.markDamaged()
    try Data().write(to: URL(filePath: history.location.writeAheadLog))
    _ = try await history.rescued()
    #expect(try history.names().count { $0.hasPrefix("history-damaged-") } == 1)
  }

  @Test func `also after one that was never finished, or never put in its place`() async throws {
    let texts = try await fill()
    let unfinished = history.location.unfinishedRescue
    for file in [
      unfinished.database, unfinished.writeAheadLog, unfinished.damageMark, history.location.finishedRescue,
    ] {
      try Data("left by a crash".utf8).write(to: URL(filePath: file))
    }
    for _ in 1...2 {
      history.markDamaged()
      #expect(try await HistoryRescuer().rescue(history.location)?.clipCount == texts.count)
      let store = try history.store()
      #expect(try await store.allIDs() == texts.keys.sorted())
      await store.close()
    }
  }

  @Test func `and the last captured text is not recorded again`() async throws {
    let texts = try await fill()
    try history.damage { $0.destroy(0..<4096) }
    _ = try await HistoryRescuer().rescue(history.location)
    let store = try history.store()
    #expect(try await store.record(try ClipText(texts[121] ?? ""), at: 1) == .duplicate)
    #expect(try await store.add("new", at: 1).capturedAt == 121, "times ascend")
  }

  /// Nothing looks at such a page before it is read: that finds the damage, and the next opening rescues.
  @Test(arguments: [5, 13] as [UInt8])
  func `where a page in its middle is damaged`(type: UInt8) async throws {
    let texts = try await fill()
    try history.damage { bytes in
      let page = try #require(pages(of: type, in: bytes).last)
      bytes.destroy(page * 4096..<(page + 1) * 4096)
    }
    do {
      let store = try history.store()
      let reader = try history.reader()
      await #expect(throws: StoreError.damaged) { try await store.allIDs() }
      #expect(throws: StoreError.damaged) { try reader.newestPage(limit: 999) }
      await store.close()
    }
    let lost = try await rescue(texts)
    #expect(type == 5 ? lost == 0 : (1...60).contains(lost))
  }

  @Test func `where a page of a large text is damaged`() async throws {
    let texts = try await fill()
    try history.damage { bytes in
      bytes.destroy(try #require(bytes.range(of: Data(large.utf8.prefix(9_000).suffix(500)))))
    }
    let store = try history.store()
    await #expect(throws: StoreError.damaged) { try await store.text(of: 61) }
    await store.close()
    history.markDamaged()
    let outcome = try await history.rescued()
    #expect(outcome.clipCount == texts.count - 1 && outcome.lostCount == 1)
  }

  @Test func `where a number does not lead to its row any more`() async throws {
    let texts = try await fill()
    var bytes = try history.bytes()
    let page = try #require(pages(of: 5, in: bytes).last) * 4096
    let cell = page + (Int(bytes[page + 12]) << 8 | Int(bytes[page + 13]))
    // The largest id on the page that it leads to, behind that page's number.
    let id = Int64(bytes[cell + 4])
    bytes[cell + 4] -= 1
    try history.plant(bytes)
    let store = try history.store()
    #expect(try await store.allIDs().contains(id), "it is shown")
    await #expect(throws: StoreError.damaged) { try await store.text(of: id) }
    await #expect(throws: StoreError.damaged) { try await store.delete(id) }
    #expect(try await store.text(of: 1_000) == nil)
    #expect(try await store.delete(1_000) == nil)
    await store.close()
    #expect(try HistoryOpening(history.location).isMarked())
    let outcome = try await history.rescued()
    #expect(outcome.clipCount == texts.count && outcome.lostCount == 0)
  }

  @Test func `where it was cut off`() async throws {
    let texts = try await fill()
    try history.damage { $0.removeLast($0.count / 2 - 1_000) }
    let lost = try await rescue(texts)
    #expect(lost > 0 && lost < texts.count)
  }

  /// An empty one too, which was finished once: something else has emptied it, and its user has to be told.
  @Test(arguments: [0, 1, 50, 100_000])
  func `where nothing is left of it`(size: Int) async throws {
    try history.plant(Data(repeating: UInt8(ascii: "n"), count: size))
    #expect(try await rescue([:]) == 0)
  }

  @Test(arguments: ["DROP TABLE last_capture", "DELETE FROM last_capture", "PRAGMA user_version = 0"])
  func `where it lacks what it should have`(sql: String) async throws {
    let texts = try await fill()
    try history.run(sql)
    #expect(try await rescue(texts) == 0)
  }

  @Test func `where a text is no text`() async throws {
    let texts = try await fill()
    try history.run(
      """
      INSERT INTO clip(id, captured_at, byte_count, text)
      VALUES (200, 0, 1, CAST(x'ff' AS TEXT)), (201, 0, 7, 'wrong')
      """)
    history.markDamaged()
    let outcome = try await history.rescued()
    // The second is whole; it is its `byte_count` that is wrong.
    #expect(outcome.clipCount == texts.count + 1 && outcome.lostCount == 1)
    #expect(
      try history.reader().newestPage(limit: 1) == [
        Clip(id: 201, capturedAt: 0, byteCount: 5, preview: "wrong")
      ])
  }

  @Test func `where a row that was deleted was no text, and cannot come back`() async throws {
    let store = try history.store()
    try history.run(
      "INSERT INTO clip(id, captured_at, byte_count, text) VALUES (1, 0, 1, CAST(x'ff' AS TEXT))")
    let deleted = try #require(try await store.delete(1))
    await #expect(throws: StoreError.damaged) { try await store.restore(deleted) }
    #expect(try HistoryOpening(history.location).isMarked())
  }

  @Test(arguments: ReleasedVersion.allCases)
  func `where an older version made it`(_ version: ReleasedVersion) async throws {
    try history.plant(version)
    history.markDamaged()
    let outcome = try await history.rescued()
    #expect(outcome.clipCount == 2 && outcome.lostCount == 0)
    #expect(try history.reader().newestPage(limit: 9).map(\.preview) == ["two", "one"])
  }

  /// Each start would fail, for SQLite says no more of it than that something went wrong.
  @Test func `where a migration meets a row that breaks the rules of its table`() async throws {
    try history.plant(.first)
    for sql in [
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, 'text TEXT NOT NULL', 'text TEXT') WHERE name = 'clip'
      """,
      "INSERT INTO clip(id, captured_at, byte_count) VALUES (9, 3, 3)",
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, 'text TEXT', 'text TEXT NOT NULL') WHERE name = 'clip'
      """,
    ] {
      try history.run(sql)
    }
    do {
      let database = try Database(path: history.location.database, access: .readWrite, lockTimeout: 0)
      #expect(throws: StoreError.damaged) {
        try Schema.migrate(
          database, by: Schema.migrations + ["ALTER TABLE clip ADD COLUMN note TEXT CHECK (note <> '')"])
      }
    }
    #expect(throws: StoreError.damaged) { try history.store() }
    #expect(try await history.rescued().clipCount == 2)
    #expect(try await history.store().allIDs() == [1, 7])
  }

  /// In the middle of a page, where it is out of order; and at the end of one, where it is only far from its neighbour.
  ///
  /// The number of the last id may be lost with them.
  @Test(arguments: [(5, 13), (20, 40)] as [(UInt8, UInt8)], [false, true])
  func `where a wrong id makes two rows of one`(
    ids: (id: UInt8, wrong: UInt8), losesNumber: Bool
  ) async throws {
    let (id, wrong) = ids
    let store = try history.store()
    // Twenty rows to a page, so that the size of each takes two bytes, and its id one.
    for number in 1...60 { try await store.add("clip \(number) " + String(repeating: ".", count: 180)) }
    await store.close()
    var bytes = try history.bytes()
    var rows: [[UInt8: Int]] = []
    for page in pages(of: 13, in: bytes).map({ $0 * 4096 }) {
      let count = Int(bytes[page + 3]) << 8 | Int(bytes[page + 4])
      let places = (0..<count).map { index in
        page + (Int(bytes[page + 8 + 2 * index]) << 8 | Int(bytes[page + 9 + 2 * index]))
      }
      rows.append(Dictionary(places.map { (bytes[$0 + 2], $0) }) { first, _ in first })
    }
    let page = try #require(rows.first { $0[id] != nil && $0.count > 5 })
    if id == 20 { #expect(page.keys.max() == id, "\(rows.map { $0.keys.sorted() })") }
    bytes[try #require(page[id]) + 2] = wrong
    if losesNumber {
      let number = try ForeignConnection(history.location.database)
        .rows("SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_sequence'")
      let end = try #require(number.first.flatMap { Int($0) }) * 4096
      bytes.destroy(end - 4096..<end)
    }
    try history.plant(bytes)
    history.markDamaged()
    let outcome = try await history.rescued()
    #expect(outcome.clipCount == 60 && outcome.lostCount == 0)
    let rescued = try history.store()
    for (found, number) in [(Int64(wrong), wrong), (61, id)] {
      let text = try #require(try await rescued.text(of: found))
      #expect(String(decoding: text.bytes, as: UTF8.self).hasPrefix("clip \(number) "))
    }
  }

  /// SQLite finds nothing wrong with these, and could record nothing after them.
  @Test(arguments: [.max, .max - 1, Schema.largestID + 1] as [Int64])
  func `where a number leaves no ids`(number: Int64) async throws {
    let texts = try await fill()
    try history.run("UPDATE sqlite_sequence SET seq = \(number)")
    #expect(try await rescue(texts) == 0)
    #expect(try await history.store().allIDs().max() == 122)
  }

  @Test func `where a row has the last id that there is, which is no full disk`() async throws {
    let store = try history.store()
    try history.run(
      "INSERT INTO clip(id, captured_at, byte_count, text) VALUES (\(Int64.max), 1, 4, 'last')")
    await #expect(throws: StoreError.damaged) { try await store.add("next") }
    #expect(try HistoryOpening(history.location).isMarked())
  }

  @Test(arguments: [.max, Schema.largestID + 1, 0, -3] as [Int64])
  func `where an id cannot be one, and its row gets another one`(id: Int64) async throws {
    let texts = try await fill()
    try history.run(
      """
      INSERT INTO clip(id, captured_at, byte_count, text) VALUES (\(id), 4000000000000000000, 4, 'lost');
      UPDATE last_capture SET captured_at = 4000000000000000000
      """)
    history.markDamaged()
    let outcome = try await history.rescued()
    #expect(outcome.clipCount == texts.count + 1 && outcome.lostCount == 0)
    let store = try history.store()
    // After all that were given out, even if a damaged number says that none is left.
    let newest = try history.reader().newestPage(limit: 1)
    #expect(newest == [Clip(id: 122, capturedAt: 0, byteCount: 4, preview: "lost")])
    #expect(
      try await store.add("next", at: 500) == Clip(id: 123, capturedAt: 500, byteCount: 4, preview: "next"))
  }

  @Test func `but not while another one has it open`() async throws {
    _ = try await fill()
    let store = try history.store()
    history.markDamaged()
    let before = try history.bytes()
    await #expect(throws: StoreError.locked) { try await HistoryRescuer().rescue(history.location) }
    #expect(try history.bytes() == before)
    try await store.add("it goes on")
  }

  /// A process that this one has just started has its locks too, until it runs its own program.
  @Test func `also where another one seems to have it open for a moment`() async throws {
    let texts = try await fill()
    history.markDamaged()
    // On a slow machine the moment may be longer than anybody waits.
    let isRescued = try await eventually {
      let outcome = try await rescueDuringALock(of: .milliseconds(20))
      if let outcome { #expect(outcome.clipCount == texts.count) }
      return outcome != nil
    }
    #expect(isRescued)
  }

  /// Rescues while somebody has the history open who goes after a while; nil if that was too long.
  private func rescueDuringALock(of time: Duration) async throws -> HistoryRescuer.Outcome? {
    var lock: FolderLock? = try FolderLock(sharing: history.location)
    async let rescue = HistoryRescuer().rescue(history.location)
    try await Task.sleep(for: time)
    withExtendedLifetime(lock) {}
    lock = nil
    do { return try await rescue } catch StoreError.locked { return nil }
  }

  @Test func `also where it was interrupted as it put the files in their places`() async throws {
    let texts = try await fill()
    let rescued = try history.bytes()
    try rescued.write(to: URL(filePath: history.location.finishedRescue))
    try FileManager.default.removeItem(atPath: history.location.database)
    // The log of the damaged one, which must not come to lie beside the rescued one.
    try Data(repeating: 1, count: 9_000).write(to: URL(filePath: history.location.writeAheadLog))
    let store = try history.store()
    #expect(try await store.allIDs() == texts.keys.sorted())
    #expect(!FileManager.default.fileExists(atPath: history.location.finishedRescue))
  }

  /// All find that a crash has interrupted a rescue; the next one must not set aside what the first has installed.
  @Test func `also where several programs start at once after that`() async throws {
    let texts = try await fill()
    let rescued = try history.bytes()
    for _ in 0..<20 {
      try rescued.write(to: URL(filePath: history.location.finishedRescue))
      try FileManager.default.removeItem(atPath: history.location.database)
      let location = history.location
      let counts = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<3 {
          group.addTask {
            let store = try HistoryStore(location: location, digest: testDigest)
            return try await store.allIDs().count
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(counts == [texts.count, texts.count, texts.count])
      #expect(try !history.names().contains { $0.hasPrefix("history-damaged-") })
    }
  }

  /// Bytes that occur in no text, so that a text which was hit can be told from one that was not.
  @Test(arguments: 1...12)
  func `whatever is damaged, nothing wrong is carried over`(seed: Int) async throws {
    let texts = try await fill()
    var random = SplitMix(seed: UInt64(seed))
    var bytes = try history.bytes()
    for _ in 0..<Int.random(in: 1...30, using: &random) {
      let start = Int.random(in: 100..<bytes.count, using: &random)
      let count = min(Int.random(in: 1...300, using: &random), bytes.count - start)
      bytes.replaceSubrange(start..<start + count, with: Data(repeating: 0xff, count: count))
    }
    try history.plant(bytes)
    history.markDamaged()
    _ = try await history.rescued()
    let store = try history.store()
    for id in try await store.allIDs() {
      #expect(try await store.text(of: id) == texts[id].map { try ClipText($0) }, "seed \(seed)")
    }
  }
}
