import Foundation
import TestSupport
import Testing

/// Starts and kills a process `COPYPASTA_KILLS` times (default: 10), with consecutive seeds starting at
/// `COPYPASTA_SEED` (default: 1).
@Suite(.serialized)
struct KillTests {
  let history = TemporaryHistory()

  @Test func `a history contains exactly the acknowledged changes after repeated kills`() async throws {
    var log = ChurnLog()
    let first = UInt64(environmentNumber("COPYPASTA_SEED", or: 1))
    let kills = UInt64(environmentNumber("COPYPASTA_KILLS", or: 10))
    for seed in first..<first + kills {
      var random = SplitMix(seed: seed)
      let churn = try Churn(history, seed: seed)
      log.read(try await churn.kill(after: Int.random(in: 1...60, using: &random)))
      try await log.verify(history, "seed \(seed)")
    }
    print("\(kills) kills, \(log.count) changes, from seed \(first) on")
  }

  @Test func `a history contains the acknowledged changes of two killed programs`() async throws {
    let churns = try [901, 902].map { try Churn(history, seed: $0) }
    var logs = [ChurnLog(), ChurnLog()]
    for (index, churn) in churns.enumerated() { logs[index].read(try await churn.kill(after: 80)) }
    let both = try logs.map { try #require($0.count >= 80 ? $0 : nil) }
    let store = try history.store()
    let ids = Set(try await store.allIDs())
    for log in both {
      for (id, text) in log.live where log.pending != .delete(id) {
        #expect(ids.contains(id))
        #expect(try await store.text(of: id)?.bytes == Array(text.utf8))
      }
      for id in log.deleted.keys where log.pending != .restore(id) { #expect(!ids.contains(id)) }
    }
    await store.close()
    #expect(try history.isSound())
  }

  @Test func `an SQLite shell can read a history during writes without errors on either side`() async throws {
    let churn = try Churn(history, seed: 903)
    var log = ChurnLog()
    for round in 1...15 {
      try await waitUntil("a change") {
        churn.program.output.count { $0 == UInt8(ascii: "<") } > round || !churn.program.isRunning
      }
      let result = try await Program.run(
        [
          "/usr/bin/sqlite3", "-readonly", "-cmd", ".timeout 5000", history.location.database,
          "SELECT count(*), sum(byte_count) = sum(length(text)) FROM clip; PRAGMA quick_check",
        ], environment: [:])
      #expect(result.exit == .code(0) && result.text.hasSuffix("|1\nok"), "\(result.text) \(result.errors)")
    }
    log.read(try await churn.kill(after: 20))
    try await log.verify(history, "beside a shell")
  }
}
