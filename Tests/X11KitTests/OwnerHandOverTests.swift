import TestSupport
import Testing

@testable import X11Kit

extension X11KitTests {
  /// An owner that hands its text over to a clipboard manager.
  @Suite(.serialized, .tags(.outlivesTheWindow)) struct OwnerHandOverTests {
    private static let server = Task { try await XServer() }
    let display: String
    let owner: X11Selections

    init() async throws {
      display = try await Self.server.value.display
      owner = X11Selections(display: display)
    }

    @Test(arguments: [
      (4, OwnerTests.textTargets), (1 << 20, ["UTF8_STRING"]), (20 << 20, ["UTF8_STRING"]),
    ])
    func `a clipboard manager receives a text completely, a short one in every format`(
      _ size: Int, _ targets: [String]
    ) async throws {
      let manager = try await start("keeps")
      try await owner.offer(sampleText(size))
      #expect(await owner.handOver(within: generousLimit))
      #expect(try await manager.nextLine() == "asked " + targets.joined(separator: " "))
      #expect(try await manager.nextLine() == "has \(size)")
      #expect(try await eventually { await !owner.isOwner })
    }

    @Test(arguments: [("refuses", generousLimit), ("mute", .milliseconds(100))])
    func `a selection owner keeps its text if the clipboard manager refuses it or does not answer in time`(
      _ behaviour: String, _ limit: Duration
    ) async throws {
      let manager = try await start(behaviour)
      try await owner.offer(Array("kept".utf8))
      #expect(await !owner.handOver(within: limit))
      #expect(try await paste(display: display) == Array("kept".utf8))
      withExtendedLifetime(manager) {}
    }

    @Test func `handing a text over does not wait for the time limit if there is no clipboard manager`()
      async throws
    {
      try await owner.offer(Array("alone".utf8))
      // The manager of another test may not have exited yet.
      let isQuick = try await eventually {
        let start = ContinuousClock.now
        #expect(await !owner.handOver(within: .seconds(5)))
        return ContinuousClock.now - start < .seconds(4)
      }
      #expect(isQuick)
    }

    @Test func `a selection owner does not hand over another program's text`() async throws {
      let manager = try await start("keeps")
      #expect(await !owner.handOver(within: generousLimit))
      withExtendedLifetime(manager) {}
    }

    /// A request that has reached an owner would stay without an answer if the owner just ended.
    @Test func `closing a selection owner leaves no requestor waiting`() async throws {
      for size in [10, 1 << 20] {
        for _ in 1...10 {
          let ending = X11Selections(display: display)
          try await ending.offer(sampleText(size))
          let requestors = try (1...4).map { _ in
            try Client(["xclip", "-o", "-selection", "clipboard"], display: display)
          }
          await ending.close(within: generousLimit)
          #expect(await !ending.isOwner)
          // Each has either the text or a refusal, and ends.
          for requestor in requestors { #expect(try await eventually { requestor.hasEnded }) }
        }
      }
    }

    private func start(_ behaviour: String) async throws -> Client {
      let manager = try Client.fixture("requestor", "manager", behaviour, display: display)
      #expect(try await manager.nextLine() == "ready")
      return manager
    }
  }
}
