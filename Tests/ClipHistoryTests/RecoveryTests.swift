import Foundation
import TestSupport
import Testing

@testable import ClipHistory

@Suite(.tags(.recovers)) struct RecoveryTests {
  let history = TemporaryHistory()
  private static let large = String(repeating: "large e\u{301} ", count: 3_000)
  private let texts: [Int64: String]

  /// Creates and closes a history with 60 short texts, a large one and 60 more.
  init() async throws {
    let store = try history.store()
    var texts: [Int64: String] = [:]
    for number in 1...121 {
      let text = number == 61 ? Self.large : String(repeating: "clip \(number) ", count: number % 50 + 1)
      texts[try await store.add(text, at: Int64(number)).id] = text
    }
    await store.close()
    self.texts = texts
  }

  /// Returns the offsets of the pages whose first byte is `type`.
  private func pages(of type: UInt8, in bytes: Data) -> [Int] {
    stride(from: 4096, to: bytes.count, by: 4096).filter { bytes[$0] == type }
  }

  /// Recovers the history, checks what must be true after every recovery, and returns how many of `texts` were lost.
  private func recover(_ texts: [Int64: String]) async throws -> Int {
    let damaged = try history.bytes()
    #expect(throws: StoreError.damaged) { try history.store() }
    chmod(history.location.database, 0o644)
    let outcome = try await history.recovered()
    let damagedFile = outcome.damagedFile
    #expect(try Data(contentsOf: URL(filePath: damagedFile)) == damaged, "kept as it is")
    #expect(try permissions(of: damagedFile) == 0o600)
    let again = try await history.onceAlone { try await HistoryRecovery().recover(history.location) }
    #expect(again == nil, "there is nothing left to do")
    let store = try history.store()
    #expect(try await expectNothingWrong(in: store) == outcome.clipCount)
    #expect(try history.isSound())
    let next = try await store.add("recorded after the recovery", at: 5)
    #expect(next.id > texts.keys.max() ?? 0, "no id is given out twice")
    #expect(try history.reader().newestPage(limit: 1) == [next])
    await store.close()
    let names = try history.names()
    #expect(!names.contains { $0.contains("rescue") || $0.hasSuffix("-damaged") }, "nothing left behind")
    return texts.count - outcome.clipCount
  }

  /// Expects each stored text to equal the recorded text; returns the number of stored texts.
  private func expectNothingWrong(in store: HistoryStore) async throws -> Int {
    let ids = try await store.allIDs()
    for id in ids { #expect(try await store.text(of: id) == texts[id].map { try ClipText($0) }) }
    return ids.count
  }

  @Test(arguments: [0..<100, 100..<4096, 0..<4096])
  func `a history with a damaged first page is recovered completely`(range: Range<Int>) async throws {
    try history.damage { $0.destroy(range) }
    #expect(try await recover(texts) == 0)
  }

  @Test func `a recovery that loses the last captured text does not record the newest text again`()
    async throws
  {
    let page = try history.rootPage(of: "last_capture")
    try history.damage { $0.destroy((page - 1) * 4096..<page * 4096) }
    history.markDamaged()
    try await history.expectRecovery(of: 121)
    let store = try history.store()
    #expect(try await store.record(try ClipText(texts[121] ?? ""), at: 1) == .duplicate)
    #expect(try await store.add(texts[120] ?? "").id == 122)
    await store.close()
  }

  @Test func `clips that are recorded after another program has added a column are recovered`() async throws {
    let store = try history.store()
    try history.run("ALTER TABLE clip ADD COLUMN theirs TEXT DEFAULT 'x'")
    try await store.add("after it")
    await store.close()
    #expect(throws: StoreError.damaged) { try history.store() }
    try await history.expectRecovery(of: 122)
    #expect(try history.reader().newestPage(limit: 1).map(\.preview) == ["after it"])
  }

  /// An SQLite shell that reads the history at the same time leaves an empty log.
  @Test func `a recovery does not keep an empty log next to the damaged file`() async throws {
    history.markDamaged()
    try Data().write(to: URL(filePath: history.location.wal))
    _ = try await history.recovered()
    #expect(try history.names().count { $0.hasPrefix("history-damaged-") } == 1)
  }

  @Test func `a recovery keeps the last captured text, but not the last check for expired clips`()
    async throws
  {
    try history.run("UPDATE last_look SET wall_time = 7")
    try history.damage { $0.destroy(0..<4096) }
    _ = try await history.recovered()
    #expect(try history.foreign().rows("SELECT wall_time FROM last_look") == ["0"])
    let store = try history.store()
    #expect(try await store.record(try ClipText(texts[121] ?? ""), at: 1) == .duplicate)
    #expect(try await store.add("new", at: 1).capturedAt == 121, "times ascend")
  }

  @Test func `a row that cannot be found by its id counts as damage and is recovered`() async throws {
    var bytes = try history.bytes()
    let page = try #require(pages(of: 5, in: bytes).last)
    let cell = page + (Int(bytes[page + 12]) << 8 | Int(bytes[page + 13]))
    // The cell holds a page number, followed by the largest id on that page.
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
    #expect(try history.isMarked())
    try await history.expectRecovery(of: 121)
  }

  /// An empty history file counts as damage, unless the creation of the history was interrupted.
  @Test(arguments: [0, 1, 50, 100_000])
  func `a history without any readable row is replaced by an empty history`(size: Int) async throws {
    try history.plant(Data(repeating: UInt8(ascii: "n"), count: size))
    #expect(try await recover([:]) == 0)
  }

  /// SQLite accepts the large numbers below as the last id, but then has no id for the next clip.
  @Test(arguments: [
    "DROP TABLE last_capture", "DELETE FROM last_capture", "PRAGMA user_version = 0",
    "PRAGMA user_version = -1",
    "UPDATE sqlite_sequence SET seq = \(Int64.max)", "UPDATE sqlite_sequence SET seq = \(Int64.max - 1)",
    "UPDATE sqlite_sequence SET seq = \(Schema.largestID + 1)",
  ])
  func `a history that lacks a required row, its version or free ids is recovered`(sql: String) async throws {
    try history.run(sql)
    #expect(try await recover(texts) == 0)
    #expect(try await history.store().allIDs().max() == 122)
  }

  @Test func `a recovery omits a row that is not valid text`() async throws {
    try history.insert("(200, 0, 1, CAST(x'ff' AS TEXT)), (201, 0, 7, 'wrong')")
    history.markDamaged()
    // The second text is valid; only its `byte_count` is wrong.
    try await history.expectRecovery(of: 122, losing: 1)
    let wrong = Clip(id: 201, capturedAt: 0, byteCount: 5, preview: "wrong")
    #expect(try history.reader().newestPage(limit: 1) == [wrong])
  }

  @Test(arguments: ReleasedVersion.allCases)
  func `a damaged history of each released version is recovered`(_ version: ReleasedVersion) async throws {
    try history.plant(version)
    history.markDamaged()
    try await history.expectRecovery(of: 2)
    #expect(try history.previews() == ["two", "one"])
  }

  /// SQLite reports only a generic error for the failed migration.
  ///
  /// If this error did not count as damage, every start would fail without a recovery.
  @Test func `a migration that fails on an invalid row reports damage`() async throws {
    try history.plant(.first)
    func declare(_ column: String, as other: String) throws {
      try history.run(
        """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = replace(sql, '\(column)', '\(other)') WHERE name = 'clip'
        """)
    }
    try declare("text TEXT NOT NULL", as: "text TEXT")
    try history.run("INSERT INTO clip(id, captured_at, byte_count) VALUES (9, 3, 3)")
    try declare("text TEXT", as: "text TEXT NOT NULL")
    do {
      let database = try Database(path: history.location.database, access: .readWrite, lockTimeout: 0)
      let later = Schema.migrations + ["ALTER TABLE clip ADD COLUMN note TEXT CHECK (note <> '')"]
      #expect(throws: StoreError.damaged) { try Schema.migrate(database, by: later) }
    }
    #expect(throws: StoreError.damaged) { try history.store() }
    #expect(try await history.recovered().clipCount == 2)
    #expect(try await history.store().allIDs() == [1, 7])
  }

  /// The wrong id is in the middle of a page, where it is out of order, or at the end of a page, where it is in order
  /// but far from its neighbour.
  ///
  /// With `losesNumber`, the record of the largest assigned id is destroyed too.
  @Test(arguments: [(5, 13), (20, 40)] as [(UInt8, UInt8)], [false, true])
  func `two rows with the same id are both recovered`(ids: (UInt8, UInt8), losesNumber: Bool) async throws {
    let history = TemporaryHistory()
    let (id, wrong) = ids
    // A row has some 200 bytes, so a page holds twenty rows. The size of a row takes two bytes, and its id one byte.
    try await history.record((1...60).map { "clip \($0) " + String(repeating: ".", count: 180) })
    let rows = try history.rowPlaces()
    let row = try #require(rows.first { $0.id == id })
    if id == 20 { #expect(rows.last { $0.page == row.page }?.id == 20) }
    let end = try history.rootPage(of: "sqlite_sequence") * 4096
    try history.damage { bytes in
      bytes[(row.page - 1) * 4096 + row.offset + 2] = wrong
      if losesNumber { bytes.destroy(end - 4096..<end) }
    }
    history.markDamaged()
    try await history.expectRecovery(of: 60)
    let recovered = try history.store()
    for (found, number) in [(Int64(wrong), wrong), (61, id)] {
      let text = try #require(try await recovered.text(of: found))
      #expect(String(decoding: text.bytes, as: UTF8.self).hasPrefix("clip \(number) "))
    }
  }

  @Test(arguments: [
    "INSERT INTO clip(id, captured_at, byte_count, text) VALUES (\(Int64.max), 1, 4, 'last')",
    "UPDATE sqlite_sequence SET seq = \(Int64.max)",
  ])
  func `the largest possible id is reported as damage, not as a full disk`(sql: String) async throws {
    let store = try history.store()
    try history.run(sql)
    await #expect(throws: StoreError.damaged) { try await store.add("next") }
    #expect(try history.isMarked())
  }

  @Test(arguments: [.max, Schema.largestID + 1, 0, -3] as [Int64])
  func `a recovery gives a row with an impossible id a new id`(id: Int64) async throws {
    let time = 4_000_000_000_000_000_000
    try history.insert("(\(id), \(time), 4, 'lost'); UPDATE last_capture SET captured_at = \(time)")
    history.markDamaged()
    try await history.expectRecovery(of: 122)
    // New ids follow all assigned ids, even if a damaged row has the largest possible id.
    let lost = Clip(id: 122, capturedAt: 0, byteCount: 4, preview: "lost")
    #expect(try history.reader().newestPage(limit: 1) == [lost])
    let next = try await history.store().add("next", at: 500)
    #expect(next == Clip(id: 123, capturedAt: 500, byteCount: 4, preview: "next"))
  }

  /// A child process holds a copy of its parent's locks until it calls `exec`.
  @Test func `a recovery waits for a lock that is held only for a moment`() async throws {
    history.markDamaged()
    // On a slow machine the lock may be held longer than the recovery waits, so try again.
    let isRecovered = try await eventually {
      var lock: FolderLock? = try FolderLock(history.location)
      async let recovery = HistoryRecovery().recover(history.location)
      try await Task.sleep(for: .milliseconds(20))
      withExtendedLifetime(lock) {}
      lock = nil
      do { return try await recovery?.clipCount == 121 } catch StoreError.locked { return false }
    }
    #expect(isRecovered)
  }

  /// Simulates a crash between writing the recovered file and moving it into place.
  private func interruptRecovery() throws {
    try FileManager.default.moveItem(
      atPath: history.location.database, toPath: history.location.finishedRecovery)
  }

  @Test func `after a crash, readers use the recovered file, and the next start installs it`() async throws {
    try interruptRecovery()
    #expect(try !history.location.isMissing)
    do {
      let clips = try ClipCursor(location: history.location)
      for id: Int64 in 1...121 { #expect(try clips.next()?.id == id) }
    }
    #expect(try history.names() == ["history.sqlite3-rescued"])
    // The log of the damaged database must not end up next to the recovered database.
    try Data(repeating: 1, count: 9_000).write(to: URL(filePath: history.location.wal))
    #expect(try await history.store().allIDs() == Array(1...121))
    #expect(!FileManager.default.fileExists(atPath: history.location.finishedRecovery))
  }

  /// Each program finds the recovered file, but none may set aside a history that another program has just moved
  /// into place.
  @Test func `programs that start together move a recovered file into place only once`() async throws {
    for _ in 0..<20 {
      try interruptRecovery()
      let counts = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<3 { group.addTask { try await history.store().allIDs().count } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(counts == [121, 121, 121])
      #expect(try !history.names().contains { $0.hasPrefix("history-damaged-") })
    }
  }

  /// Without a limit, a small damaged file could make a recovery run for days.
  @Test func `a recovery reads each overflow page at most twice in total`() async throws {
    let history = TemporaryHistory()
    let texts = (1...20).map { String.repetition(of: "\($0 % 10)", count: 400_000) }
    try await history.record(texts)
    let file = try Array(history.bytes())
    let starts = Array(stride(from: 4096, to: file.count, by: 4096))
    var leaves = starts.filter { file[$0] == 0x0d }.map { Array(file[$0..<$0 + 4096]) }
    leaves.removeAll { page in
      !LeafPage(page, .ours).clips.contains { ($0.types.last ?? 0) > 800_000 }
    }
    // The last four bytes of a row contain the number of the first page of its overflow chain. Make all rows use the
    // chain of the first row.
    var chain = 0
    for index in leaves.indices {
      for end in LeafPage(leaves[index], .ours).clips.map(\.end) {
        if chain == 0 { chain = leaves[index].uint32(at: end - 4) }
        leaves[index].replaceSubrange(end - 4..<end, with: [0, 0, UInt8(chain >> 8), UInt8(chain & 0xff)])
      }
    }
    var last = chain
    while case let next = file.uint32(at: (last - 1) * 4096), next > 0 { last = next }
    try history.plant(Data(file[..<(last * 4096)] + leaves.joined()))
    history.markDamaged()
    let outcome = try await history.recovered()
    #expect(outcome.clipCount == 2 && outcome.isIncomplete)
  }
}

extension TemporaryHistory {
  /// Recovers the history, and expects this number of clips, and whether others are lost.
  func expectRecovery(of clips: Int, losing lost: Int = 0) async throws {
    let outcome = try await recovered()
    #expect(outcome.clipCount == clips && outcome.isIncomplete == (lost > 0))
  }
}
