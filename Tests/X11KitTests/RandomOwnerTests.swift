import Foundation
import TestSupport
import Testing
import X11Kit

extension X11KitTests {
  /// Owners that behave at random; a seed makes the same owner again.
  ///
  /// `COPYPASTA_FUZZ_SEEDS` is how many there are (`meson-helpers/fuzz owner`).
  @Suite struct RandomOwnerTests {
    private static let seeds =
      ProcessInfo.processInfo.environment["COPYPASTA_FUZZ_SEEDS"].flatMap(Int.init) ?? 4
    private static let livesOfOne = 25

    @Test(arguments: 0..<seeds) func `nothing wrong is ever read`(_ seed: Int) async throws {
      let display = try XServer.shared.get().display
      let reader = try SelectionReader(display: display)
      let owner = try Client.fixture("random_owner", "\(seed)", display: display)
      #expect(try owner.nextLine() == "ready")
      for life in 0..<Self.livesOfOne {
        let outcome = await reader.outcome(limit: 600_000, idleTimeout: .milliseconds(40), total: .seconds(2))
        try owner.tell("next")
        let sent = try #require(try owner.nextLine()).split(separator: " ").dropFirst()
        #expect(try owner.nextLine() == "ready")
        try await expectHonest(outcome, sent: sent.map(String.init), "seed \(seed), life \(life)")
      }
      try await expectGoodRead(by: reader, on: display)
    }

    /// A text that was read is one that the owner has sent, to its last byte.
    private func expectHonest(_ outcome: Outcome, sent: [String], _ comment: Comment) async throws {
      switch outcome {
      case .content(.text(let text)): #expect(sent.contains(try sha256(text)), comment)
      case .content(.own), .failure(.unavailable), .failure(.cancelled): Issue.record("\(outcome)")
      case .content, .failure: break
      }
    }

    private func expectGoodRead(by reader: SelectionReader, on display: String) async throws {
      let good = try Client.owner("Owner", display: display)
      #expect(try good.nextLine() == "ready")
      #expect(await reader.outcome() == .text("the owner's text"))
      withExtendedLifetime(good) {}
    }
  }
}
