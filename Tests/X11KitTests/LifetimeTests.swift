import Foundation
import TestSupport
import Testing

@testable import X11Kit

extension X11KitTests {
  /// What is left of readers and owners: nothing, and nothing that runs.
  ///
  /// Where sockets and processor time are counted, in a process of the test's own: others run beside it in this one.
  @Suite struct LifetimeTests {
    @Test func `a reader leaves nothing`() async {
      await #expect(processExitsWith: .success) {
        let display = try XServer.shared.get().display
        let before = try LifetimeTests.openSockets()
        weak var leaked: SelectionReader?
        do {
          let reader = try SelectionReader(display: display)
          leaked = reader
          #expect(try LifetimeTests.openSockets() > before)
          _ = await reader.outcome()
          withExtendedLifetime(reader) {}
        }
        #expect(try await eventually { leaked == nil })
        #expect(try await eventually { try LifetimeTests.openSockets() == before })
      }
    }

    @Test func `an owner leaves nothing`() async {
      await #expect(processExitsWith: .success) {
        let display = try XServer.shared.get().display
        let before = try LifetimeTests.openSockets()
        weak var leaked: SelectionOwner?
        do {
          let owner = try SelectionOwner(display: display)
          leaked = owner
          try await owner.offer(sampleText(1 << 20))
          // With a transfer, and so with a timer.
          let paster = try Client.fixture("paster", "never", "1", display: display)
          #expect(try paster.nextLine() == "begun 1")
          withExtendedLifetime(owner) {}
        }
        #expect(try await eventually { leaked == nil })
        #expect(try await eventually { try LifetimeTests.openSockets() == before })
      }
    }

    @Test func `no server is an error`() {
      #expect(throws: X11Error.cannotConnect(display: ":65000")) { try SelectionReader(display: ":65000") }
      #expect(throws: X11Error.cannotConnect(display: ":65000")) { try SelectionOwner(display: ":65000") }
    }

    @Test func `a server that ends is an error and no spin`() async {
      await #expect(processExitsWith: .success) {
        let server = try XServer()
        let reader = try SelectionReader(display: server.display)
        let mute = try SelectionReader(display: server.display)
        let owner = try SelectionOwner(display: server.display)
        try await owner.offer([1])
        let bad = try Client.owner("Mute", display: server.display)
        #expect(try bad.nextLine() == "ready")
        async let outcome = mute.outcome()
        #expect(try bad.nextLine() == "TARGETS")
        server.kill()
        #expect(await outcome == .failure(.unavailable))
        #expect(await reader.outcome() == .failure(.unavailable))
        #expect(try await eventually { !(await owner.isOwner) })
        await #expect(throws: X11Error.connectionLost) { try await owner.offer([2]) }
        try await LifetimeTests.expectIdle()
      }
    }

    @Test func `an owner at rest uses no processor`() async {
      await #expect(processExitsWith: .success) {
        let owner = try SelectionOwner(display: try XServer.shared.get().display)
        try await owner.offer([1])
        try await LifetimeTests.expectIdle()
      }
    }

    // MARK: - Tools

    /// A loop that spins takes all of a processor; 20 % is far from it on any machine.
    static func expectIdle(sourceLocation: SourceLocation = #_sourceLocation) async throws {
      let before = clock()
      try await Task.sleep(for: .milliseconds(500))
      let used = Double(clock() - before) / Double(CLOCKS_PER_SEC)
      #expect(used < 0.1, sourceLocation: sourceLocation)
    }

    static func openSockets() throws -> Int {
      let folder = "/proc/self/fd"
      return try FileManager.default.contentsOfDirectory(atPath: folder).count { name in
        do {
          return try FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)").hasPrefix(
            "socket:")
        } catch {
          // The listing's own descriptor, gone by now.
          return false
        }
      }
    }
  }
}
