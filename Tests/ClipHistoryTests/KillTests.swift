import Foundation
import TestSupport
import Testing

/// Starts and kills a process `COPYPASTA_KILLS` times (default: 10), with consecutive seeds starting at
/// `COPYPASTA_SEED` (default: 1).
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
}
