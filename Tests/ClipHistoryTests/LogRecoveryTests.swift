import Foundation
import TestSupport
import Testing

@testable import ClipHistory

@Suite(.tags(.recovers)) struct LogRecoveryTests {
  /// Destroys a part of a page in the middle of the log.
  private func damageLog(_ copy: TemporaryHistory) throws {
    let frame = 24 + 4096
    try copy.damage(copy.location.wal) { log in
      let start = 32 + log.count / frame / 2 * frame + 24 + 2_000
      log.destroy(start..<start + 50)
    }
  }

  private func recoveredIDs(_ copy: TemporaryHistory) async throws -> [Int64] {
    #expect(throws: StoreError.damaged) { try copy.store() }
    let outcome = try await copy.recovered()
    #expect(
      FileManager.default.fileExists(
        atPath: outcome.damagedFile.hasSuffix("-wal") ? outcome.damagedFile : outcome.damagedFile + "-wal"))
    let store = try copy.store()
    let ids = try await store.allIDs()
    for id in ids { #expect(try await store.text(of: id) == ClipText(text(id))) }
    return ids
  }

  @Test(arguments: [nil, 0, 1] as [Int?])
  func `a write-ahead log is recovered after its database was removed or emptied`(size: Int?) async throws {
    let copy = try await crashed()
    if let size { try copy.plant(Data(repeating: 0x53, count: size)) } else { unlink(copy.location.database) }
    #expect(try await recoveredIDs(copy) == Array(1...40))
  }

  /// SQLite itself would read only the frames before the damaged frame, and silently discard the others.
  @Test
  func `clips after a damaged log frame are printed and recovered, and shown if that fails`() async throws {
    let copy = try await crashed()
    try damageLog(copy)
    #expect(try copy.location.text(ofNewest: 1) == ClipText(text(40)))
    #expect(throws: StoreError.damaged) { try copy.store() }
    let store = await copy.store(after: .diskFull)
    let reader = try HistoryReader(location: copy.location, rows: await store.salvagedRows)
    let shown = try reader.newestPage(limit: 99).count
    #expect(shown >= 39)
    // A clip whose text is damaged is in the list until it is shown.
    #expect(shown...shown + 1 ~= (try await store.allIDs().count))
    reader.close()
    await store.close()
    #expect(try await recoveredIDs(copy).count == shown)
  }

  /// An export that runs at the start must not hide the damage, which SQLite would silently discard.
  @Test(arguments: [false, true])
  func `log damage is found while another program exports the history`(isEmptied: Bool) async throws {
    let copy = try await crashed()
    let clips = try ClipCursor(location: copy.location)
    if isEmptied { try copy.damage { $0 = Data() } } else { try damageLog(copy) }
    #expect(throws: StoreError.damaged) { try copy.store() }
    withExtendedLifetime(clips) {}
  }

  @Test(arguments: [0..<32, 0..<4, 16..<24])
  func `a write-ahead log with a damaged header is recovered`(range: Range<Int>) async throws {
    let copy = try await crashed()
    try copy.damage(copy.location.wal) { $0.destroy(range) }
    #expect(try await recoveredIDs(copy) == Array(1...40))
  }

  @Test func `an incomplete last transaction in the log does not count as damage`() async throws {
    let copy = try await crashed()
    try copy.damage(copy.location.wal) { $0.removeLast(100) }
    #expect(try await copy.store().allIDs() == Array(1...39))
  }

  @Test func `log frames from before the log's last restart do not count as damage`() async throws {
    let history = TemporaryHistory()
    let store = try history.store()
    for number in 1...40 { try await store.add(text(number)) }
    // Move everything into the database without truncating the log.
    try history.run("PRAGMA wal_checkpoint(RESTART)")
    try await store.add("one more")
    let copy = try history.snapshot()
    #expect(try await copy.store().allIDs() == Array(1...41))
  }
}

/// Creates the files that a crash leaves, with 40 clips that are all in the log.
private func crashed() async throws -> TemporaryHistory {
  let history = TemporaryHistory()
  let store = try history.store()
  for number in 1...40 { try await store.add(text(number)) }
  let copy = try history.snapshot()
  await store.close()
  return copy
}

private func text(_ id: some BinaryInteger) -> String { String(repeating: "clip \(id) ", count: 30) }
