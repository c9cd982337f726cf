import ClipboardCore
import Foundation
import TestSupport
import Testing

@testable import X11Kit

extension X11KitTests {
  /// Released readers, owners and key grabs close their connections, and idle ones do not busy-loop.
  ///
  /// Tests that count sockets or processor time use child processes, because other tests run in the test process.
  @Suite struct LifetimeTests {
    @Test func `released readers, owners and key grabs close their X connections`() async {
      await #expect(processExitsWith: .success) {
        let server = try await XServer()
        let display = server.display
        try await LifetimeTests.expectNothingLeft {
          let reader = X11Selections(display: display)
          _ = await reader.outcome()
          return (reader, nil)
        }
        try await LifetimeTests.expectNothingLeft {
          let owner = X11Selections(display: display)
          try await owner.offer(sampleText(1 << 20))
          // Start a transfer, which also starts a timer.
          let requestor = try Client.fixture("requestor", "never", "1", display: display)
          #expect(try await requestor.nextLine() == "begun 1")
          return (owner, requestor)
        }
        try await LifetimeTests.expectNothingLeft {
          let grab = try KeyGrab(display: display, pressed: { _ in }, changed: { _ in })
          #expect(await grab.grab(KeyGrabTests.toggle) == .held)
          try await LifetimeTests.expectIdle()
          return (grab, nil)
        }
        #expect(try withExtendedLifetime(server) { try KeyGrab.isFree(KeyGrabTests.toggle, on: display) })
      }
    }

    @Test func `without an X server, the clipboard is unavailable`() async {
      let selections = X11Selections(display: ":65000")
      await #expect(throws: TransferError.unavailable) { try await selections.nextOffer() }
      await #expect(throws: TransferError.unavailable) { try await selections.offer([1]) }
      #expect(await selections.outcome() == .failure(.unavailable))
    }

    @Test func `readers, owners and key grabs report a lost X server without busy-looping`() async {
      await #expect(processExitsWith: .success) {
        let server = try await XServer()
        let (reader, mute, waiter) = (
          X11Selections(display: server.display), X11Selections(display: server.display),
          X11Selections(display: server.display)
        )
        let owner = X11Selections(display: server.display)
        try await owner.offer([1])
        let presses = Presses()
        let grab = try KeyGrab(display: server.display, pressed: { _ in }, changed: { presses.note($0) })
        #expect(await grab.grab(KeyGrabTests.toggle) == .held)
        let bad = try await Client.owner("Mute", display: server.display)
        let waiting = Task { try await waiter.nextOffer() }
        async let outcome = mute.outcome()
        #expect(try await bad.nextLine() == "TARGETS")
        try await LifetimeTests.expectIdle()
        server.kill()
        #expect(await outcome == .failure(.unavailable))
        #expect(await reader.outcome() == .failure(.unavailable))
        await #expect(throws: TransferError.unavailable) { try await waiting.value }
        #expect(try await eventually { await !owner.isOwner && presses.changes == [.connectionLost] })
        await #expect(throws: TransferError.unavailable) { try await owner.offer([2]) }
        #expect(await grab.grab(KeyGrabTests.toggle) == .connectionLost)
        await grab.release()
        try await LifetimeTests.expectIdle()
      }
    }

    // MARK: - Tools

    /// Releases the object and the client that `body` returns; expects the object freed and its connection closed.
    static func expectNothingLeft<Object: AnyObject>(
      of body: () async throws -> (Object, Client?)
    ) async throws {
      let before = try openSockets()
      weak var leaked: Object?
      do {
        let (object, client) = try await body()
        leaked = object
        #expect(try openSockets() > before)
        withExtendedLifetime((object, client)) {}
      }
      #expect(try await eventually { leaked == nil })
      #expect(try await eventually { try openSockets() == before })
    }

    /// Expects that this process uses less than 20 % of a processor; a busy loop would use 100 %.
    static func expectIdle(sourceLocation: SourceLocation = #_sourceLocation) async throws {
      let before = clock()
      try await Task.sleep(for: .milliseconds(500))
      let used = Double(clock() - before) / Double(CLOCKS_PER_SEC)
      #expect(used < 0.1, sourceLocation: sourceLocation)
    }

    static func openSockets() throws -> Int {
      try openFiles().count { $0.hasPrefix("socket:") }
    }
  }
}
