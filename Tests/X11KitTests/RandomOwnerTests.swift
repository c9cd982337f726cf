import Foundation
import TestSupport
import Testing
import X11Kit

extension X11KitTests {
  /// Owners with random behaviour, which a seed makes reproducible.
  ///
  /// `COPYPASTA_FUZZ_SEEDS` is the number of seeds (`meson-helpers/fuzz owner`).
  @Suite struct RandomOwnerTests {
    private static let seeds = environmentNumber("COPYPASTA_FUZZ_SEEDS", or: 4)
    private static let livesOfOne = 25

    @Test(arguments: 0..<seeds)
    func `a read from a selection owner that behaves at random returns only texts that were sent`(_ seed: Int)
      async throws
    {
      let display = try XServer.shared.get().display
      let reader = try SelectionReader(display: display)
      let owner = try Client.fixture("random_owner", "\(seed)", display: display)
      #expect(try await owner.nextLine() == "ready")
      for life in 0..<Self.livesOfOne {
        let outcome = await reader.outcome(limit: 600_000, idleTimeout: .milliseconds(40), total: .seconds(2))
        try owner.tell("next")
        let sent = try #require(try await owner.nextLine()).split(separator: " ").dropFirst()
        #expect(try await owner.nextLine() == "ready")
        // The owner must have sent exactly the text that was read.
        switch outcome {
        case .content(.text(let text)):
          let digest = try await sha256(text)
          #expect(sent.contains { $0 == digest }, "seed \(seed), life \(life)")
        case .content(.own), .failure(.unavailable), .failure(.cancelled): Issue.record("\(outcome)")
        case .content, .failure: break
        }
      }
      let good = try await Client.owner("Owner", display: display)
      #expect(await reader.outcome() == .text("the owner's text"))
      withExtendedLifetime(good) {}
    }
  }
}
