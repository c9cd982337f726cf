import ClipboardCore
import TestSupport
import Testing

@testable import X11Kit

extension X11KitTests {
  /// Reads after a change of the clipboard's owner, while reading is permitted.
  @Suite(.serialized, .tags(.skipsSecrets)) final class OwnerChangeTests {
    private static let server = Task { try await XServer() }
    let display: String
    let permit = ReadPermit()
    let reader: X11Selections
    /// Retained for the whole test, because a client is killed when its object is released.
    var clients: [Client] = []

    init() async throws {
      display = try await Self.server.value.display
      reader = X11Selections(display: display, permit: permit)
      permit.grant()
    }

    @discardableResult
    private func own(_ behaviour: String) async throws -> Client {
      clients.append(try await Client.owner(behaviour, display: display))
      return clients[clients.count - 1]
    }

    private func nextOutcome() async throws -> Outcome {
      try await reader.nextOffer()
      return await reader.outcome(reason: .followed)
    }

    @Test func `each time reading is permitted, the clipboard is reported once, as a new offer`() async throws
    {
      permit.revoke()
      let owner = try await own("Owner")
      for _ in 1...3 {
        permit.grant()
        await reader.conditionsChanged()
        #expect(try await nextOutcome() == .text("the owner's text"))
        permit.revoke()
        await reader.conditionsChanged()
      }
      try await own("Html")
      #expect(try await owner.lines(before: "lost").count { $0 == "UTF8_STRING" } == 3)
      permit.grant()
      await reader.conditionsChanged()
      #expect(try await nextOutcome() == .text("bold"))
    }

    @Test func `a clipboard read is repeated if another client destroys the reader's window`() async throws {
      try await own("DestroyRequestor")
      #expect(try await nextOutcome() == .failure(.cancelled))
      #expect(try await nextOutcome() == .text("the owner's text"))
    }

    @Test func `every offer by the same owner is read once and in order`() async throws {
      try await own("Burst")
      var texts: [Outcome] = []
      while texts.count < 200 {
        let outcome = try await nextOutcome()
        // A cancelled read means that the owner copied the next text before it received the request for this text.
        if outcome != .failure(.cancelled) { texts.append(outcome) }
      }
      #expect(texts == (0..<200).map { .text("text \($0)") })
    }

    /// The owner has received the request for its text before CopyPasta takes the clipboard.
    @Test func `a requested text arrives even if CopyPasta takes the clipboard before the answer`()
      async throws
    {
      let slow = try await own("Late")
      let reader = reader
      async let outcome = reader.outcome(grace: .milliseconds(1), reason: .followed)
      #expect(try await slow.lines(before: "UTF8_STRING") == ["TARGETS"])
      try await reader.offer(Array("own".utf8))
      try slow.tell("go on")
      #expect(await outcome == .text("too late"))
      #expect(await reader.outcome(reason: .followed) == .content(.own))
    }

    @Test func `a clipboard read fails if CopyPasta takes the clipboard before the request for the text`()
      async throws
    {
      let slow = try await own("TargetsWhenTold")
      let reader = reader
      async let outcome = reader.outcome(reason: .followed)
      #expect(try await slow.nextLine() == "TARGETS")
      try await reader.offer(Array("own".utf8))
      #expect(await outcome == .failure(.ownershipLost))
    }

    @Test(.tags(.readsOnlyWhileActive))
    func `a clipboard read sends no request while another window has the focus`() async throws {
      let owner = try await own("Owner")
      let windows = try await OtherWindows(on: display)
      let (frame, window, child, other) = (windows.all[0], windows.all[1], windows.all[2], windows.window)
      for (place, isRead) in [
        (other, false), (window, true), (0, false), (child, true), (frame, true), (1, true),
      ] {
        try await windows.focus(place)
        let outcome = await reader.outcome(activeWindow: window, reason: .followed)
        #expect(
          outcome == (isRead ? .text("the owner's text") : .failure(.cancelled)), "\(place) of \(windows.all)"
        )
      }
      try await own("Html")
      #expect(try await owner.lines(before: "lost").count { $0 == "TARGETS" } == 4)
    }

    /// Some window managers mark a window as active before they move the focus to it.
    @Test(arguments: 0...2)
    func `a clipboard read that was cancelled for lack of focus is repeated when its window gets the focus`(
      _ place: Int
    ) async throws {
      let owner = try await own("Owner")
      let windows = try await OtherWindows(on: display)
      let window = windows.all[1]
      try await windows.focus()
      try await reader.nextOffer()
      #expect(await reader.outcome(activeWindow: window, reason: .followed) == .failure(.cancelled))
      try await windows.focus(windows.all[place])
      try await reader.nextOffer()
      #expect(await reader.outcome(activeWindow: window, reason: .followed) == .text("the owner's text"))
      try await own("Html")
      #expect(try await owner.lines(before: "lost") == ["TARGETS", "UTF8_STRING"])
    }

    @Test func `a clipboard read during which its window gets the focus is repeated`() async throws {
      try await own("Owner")
      let windows = try await OtherWindows(on: display)
      let (reader, window) = (reader, windows.all[1])
      for _ in 1...100 {
        try await windows.focus()
        async let outcome = reader.outcome(activeWindow: window, reason: .followed)
        try await windows.focus(window)
        if await outcome == .failure(.cancelled) { try await reader.nextOffer() }
      }
    }

    @Test func `server times and request numbers are ordered correctly across an overflow`() {
      let (before, after) = (UInt32.max - 5, UInt32(5))
      #expect(after.isAtOrAfter(before) && after.isAtOrAfter(after))
      #expect(!before.isAtOrAfter(after))
    }

    @Test
    func `offering a text throws ownershipLost if another program takes the clipboard at the same time`()
      async throws
    {
      let owner = X11Selections(display: display)
      try await owner.offer([])
      let window = try #require(await owner.window)
      let rival = try Client.fixture("requestor", "rival", "\(window)", display: display)
      #expect(try await rival.nextLine() == "ready")
      await #expect(throws: TransferError.ownershipLost) {
        for _ in 1...2000 { try await owner.offer(Array("own".utf8)) }
      }
      #expect(try await eventually { await !owner.isOwner })
      withExtendedLifetime(rival) {}
    }

    @Test func `a new offer ends a read if the selection owner does not answer`() async throws {
      for behaviour in ["Mute", "NoAnswer", "HintUnanswered"] {
        let silent = try await own(behaviour)
        try await reader.nextOffer()
        let reader = reader
        async let outcome = reader.outcome(grace: .milliseconds(1), reason: .followed)
        _ = try await silent.nextLine()
        try await own("Owner")
        #expect(await outcome == .failure(.cancelled), "\(behaviour)")
        #expect(try await nextOutcome() == .text("the owner's text"), "\(behaviour)")
      }
    }

    @Test
    func `a clipboard read sends no request without a permit, nor a second one after its permit was revoked`()
      async throws
    {
      let owner = try await own("TargetsWhenTold")
      try await reader.nextOffer()
      let reader = reader
      async let outcome = reader.outcome(reason: .followed)
      #expect(try await owner.nextLine() == "TARGETS")
      permit.revoke()
      try owner.tell("go on")
      #expect(await outcome == .failure(.cancelled))
      #expect(await reader.outcome(reason: .followed) == .failure(.cancelled))
      try await own("Owner")
      #expect(try await owner.lines(before: "lost") == [])
    }

    /// Otherwise quitting beside a program that hangs would wait for the time limit.
    @Test
    func `a clipboard read ends at once if it is not wanted any more, unless its text has begun to arrive`()
      async throws
    {
      for (behaviour, last) in [("Mute", "TARGETS"), ("NoAnswer", "UTF8_STRING")] {
        let silent = try await own(behaviour)
        let reading = Task { [reader] in
          await reader.outcome(idleTimeout: .seconds(3600), total: .seconds(3600), reason: .followed)
        }
        while let line = try await silent.nextLine(), line != last {}
        permit.revoke()
        if behaviour == "NoAnswer" { await reader.endUnansweredReads() }
        await reader.conditionsChanged()
        #expect(await reading.value == .failure(.cancelled), "\(behaviour)")
        permit.grant()
      }
    }

    /// The owner replaces its text with the secret only after the reader has examined the formats.
    @Test(arguments: ["SecretBeforeText", "SecretAfterTargets", "SecretAfterRefusal"])
    func `a secret that replaces a text during a read is not read`(_ behaviour: String) async throws {
      // The request for the focus, which follows the pointer here, receives the change of the owner as well.
      try await reader.nextOffer()
      let window = await reader.window
      try await own(behaviour)
      try await reader.nextOffer()
      #expect(await reader.outcome(activeWindow: window, reason: .followed) == .failure(.cancelled))
      #expect(try await nextOutcome() == .content(.secret))
      try await own("Owner")
      #expect(try await nextOutcome() == .text("the owner's text"))
    }

    @Test func `cancelling ends the wait for a clipboard offer`() async throws {
      permit.revoke()
      let reader = reader
      let waiting = Task { try await reader.nextOffer() }
      waiting.cancel()
      await #expect(throws: TransferError.cancelled) { try await waiting.value }
    }
  }
}
