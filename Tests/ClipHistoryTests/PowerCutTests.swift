import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ClipHistory

/// Simulates `COPYPASTA_CUTS` power cuts (default: 12), with seeds starting at `COPYPASTA_SEED` (default: 1).
struct PowerCutTests {
  @Test func `a history contains the acknowledged changes after a power cut at any write`() async throws {
    await #expect(processExitsWith: .success) {
      TestFiles.install()
      let cuts = environmentNumber("COPYPASTA_CUTS", or: 12)
      let first = UInt64(environmentNumber("COPYPASTA_SEED", or: 1))
      var rows = 0
      for seed in first..<first + UInt64(cuts) {
        let cut = PowerCut(seed: seed)
        try await cut.work()
        rows += try await cut.verify()
      }
      print("\(cuts) cuts, \(rows) acknowledged rows, from seed \(first) on")
    }
  }
}

/// Changes a history, simulates a power cut at a random write, and checks the result.
private final class PowerCut: Sendable {
  /// The acknowledged changes, and the id of a pending deletion.
  struct Record {
    var live: [Int64: String] = [:]
    var deleted: Set<Int64> = []
    var pending: Int64?
  }

  private let seed: UInt64
  private let history = TemporaryHistory()
  private let record = Mutex(Record())
  /// The record at the cut, the files left by the cut, and whether the history was being created.
  private let atCut = Mutex<(record: Record, files: [String: Data], isBeingMade: Bool)?>(nil)

  init(seed: UInt64) { self.seed = seed }

  /// Records, deletes and reopens until the cut.
  func work() async throws {
    var random = SplitMix(seed: seed)
    // Every fourth cut happens while the history is created.
    let change = Int.random(in: 1...(seed % 4 == 0 ? 12 : 400), using: &random)
    TestFiles.beforeChange(change) { [self] in cut() }
    var store = try history.store(HistoryStore.LockTimeouts(retries: []))
    var number = 0
    while atCut.withLock({ $0 == nil }) {
      number += 1
      let victim = record.withLock { $0.live.keys.sorted().randomElement(using: &random) }
      switch (Int.random(in: 0..<30, using: &random), victim) {
      case (0, _):
        await store.close()
        store = try history.store(HistoryStore.LockTimeouts(retries: []))
      case (1..<8, let victim?):
        record.withLock { $0.pending = victim }
        try await store.delete(victim)
        record.withLock {
          $0.live[victim] = nil
          $0.deleted.insert(victim)
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

  /// Expects an undamaged history with all acknowledged changes; returns the number of its rows.
  func verify() async throws -> Int {
    let (seen, files, isBeingMade) = try #require(atCut.withLock { $0 })
    let after = TemporaryHistory()
    try after.plant(Data())
    for (name, content) in files { try content.write(to: URL(filePath: after.location.folder + "/" + name)) }
    if isBeingMade { try Data().write(to: URL(filePath: after.location.creationMarker)) }
    let store = try after.store(HistoryStore.LockTimeouts(retries: []))
    let ids = Set(try await store.allIDs())
    for (id, text) in seen.live where id != seen.pending {
      #expect(ids.contains(id), "seed \(seed)")
      #expect(try await store.text(of: id)?.bytes == Array(text.utf8), "seed \(seed)")
    }
    #expect(ids.isDisjoint(with: seen.deleted), "seed \(seed)")
    #expect(ids.count <= seen.live.count + 1, "seed \(seed)")
    await store.close()
    #expect(try after.isSound(), "seed \(seed)")
    return seen.live.count
  }

  private func cut() {
    var random = SplitMix(seed: seed ^ 0xff)
    let files = TestFiles.afterPowerCut(in: history.location.folder, using: &random)
    let isBeingMade = FileManager.default.fileExists(atPath: history.location.creationMarker)
    let acknowledged = record.withLock { $0 }
    atCut.withLock { $0 = (acknowledged, files, isBeingMade) }
  }
}
