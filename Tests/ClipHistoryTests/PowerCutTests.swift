import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ClipHistory

/// `COPYPASTA_CUTS` cuts (12), from the seed `COPYPASTA_SEED` (1) on.
@Suite("After a power cut at any write, a history holds what was acknowledged")
struct PowerCutTests {
  @Test func `whatever came to the disk of what was not synced`() async throws {
    await #expect(processExitsWith: .success) {
      TestFiles.install()
      let environment = ProcessInfo.processInfo.environment
      let cuts = environment["COPYPASTA_CUTS"].flatMap { Int($0) } ?? 12
      let first = environment["COPYPASTA_SEED"].flatMap { UInt64($0) } ?? 1
      var rows = 0
      for seed in first..<first + UInt64(cuts) {
        let cut = try PowerCut(seed: seed)
        try await cut.work()
        rows += try await cut.verify()
      }
      print("\(cuts) cuts, \(rows) acknowledged rows, from seed \(first) on")
    }
  }
}

/// Work on a history, a power cut somewhere in it, and what is there afterwards.
private final class PowerCut: Sendable {
  /// What was acknowledged so far, and what is under way.
  struct Record {
    var live: [Int64: String] = [:]
    var deleted: Set<Int64> = []
    var pending: Int64?
    var changesUntilCut: Int
    /// The files as the cut left them, and what had been acknowledged then.
    var files: [String: Data]?
    var isBeingMade = false
  }

  private let seed: UInt64
  private let history: TemporaryHistory
  private let record: Mutex<Record>
  private let atCut = Mutex<Record?>(nil)

  init(seed: UInt64) throws {
    self.seed = seed
    history = try TemporaryHistory()
    var random = SplitMix(seed: seed)
    // Each fourth one while the history is made.
    let latest = seed % 4 == 0 ? 12 : 400
    record = Mutex(Record(changesUntilCut: Int.random(in: 1...latest, using: &random)))
  }

  /// Records, deletes and closes until the cut has come.
  func work() async throws {
    TestFiles.beforeChange { [self] in cutIfDue() }
    defer { TestFiles.beforeChange(nil) }
    var random = SplitMix(seed: seed)
    var store = try history.store(HistoryStore.LockTimeouts(retries: []))
    var number = 0
    while atCut.withLock({ $0 == nil }) {
      number += 1
      let victim = record.withLock { $0.live.keys.sorted().randomElement(using: &random) }
      switch Int.random(in: 0..<30, using: &random) {
      case 0:
        await store.close()
        store = try history.store(HistoryStore.LockTimeouts(retries: []))
      case 1..<8 where victim != nil:
        record.withLock { $0.pending = victim }
        try await store.delete(victim ?? 0)
        record.withLock {
          $0.live[victim ?? 0] = nil
          $0.deleted.insert(victim ?? 0)
          $0.pending = nil
        }
      default:
        let isLarge = Int.random(in: 0..<12, using: &random) == 0
        let count = isLarge ? 3_000 : Int.random(in: 1...80, using: &random)
        let text = String(repeating: "[\(number)]", count: count)
        let clip = try await store.add(text)
        record.withLock { $0.live[clip.id] = text }
      }
    }
    await store.close()
  }

  /// Expects what the cut left to be a sound history with all that was acknowledged; answers how many rows that are.
  func verify() async throws -> Int {
    let seen = try #require(atCut.withLock { $0 })
    let after = try TemporaryHistory()
    try after.plant(Data())
    for (name, content) in seen.files ?? [:] {
      try content.write(to: URL(filePath: after.location.folder + "/" + name))
    }
    if seen.isBeingMade { try Data().write(to: URL(filePath: after.location.creationMark)) }
    let store = try after.store(HistoryStore.LockTimeouts(retries: []))
    let ids = Set(try await store.allIDs())
    for (id, text) in seen.live where id != seen.pending {
      #expect(ids.contains(id), "seed \(seed)")
      #expect(try await store.text(of: id)?.bytes == Array(text.utf8), "seed \(seed)")
    }
    #expect(ids.isDisjoint(with: seen.deleted), "seed \(seed)")
    #expect(ids.count <= seen.live.count + 1, "seed \(seed)")
    await store.close()
    let file = try ForeignConnection(after.location.database)
    #expect(try file.rows("PRAGMA integrity_check") == ["ok"], "seed \(seed)")
    return seen.live.count
  }

  private func cutIfDue() {
    let seen = record.withLock { current -> Record? in
      current.changesUntilCut -= 1
      guard current.changesUntilCut == 0 else { return nil }
      var random = SplitMix(seed: seed ^ 0xff)
      current.files = TestFiles.afterPowerCut(in: history.location.folder, using: &random)
      current.isBeingMade = FileManager.default.fileExists(atPath: history.location.creationMark)
      return current
    }
    if let seen { atCut.withLock { $0 = seen } }
  }
}
