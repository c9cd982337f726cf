import ClipboardCore
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import X11Kit

extension X11KitTests {
  /// An owner that serves requestors with usual and unusual behaviour.
  @Suite(.serialized, .tags(.survivesOthers)) struct OwnerTests {
    static let textTargets = [
      "UTF8_STRING", "text/plain;charset=utf-8", "text/plain;charset=UTF-8", "text/plain", "STRING", "TEXT",
    ]

    private static let server = Task { try await XServer() }
    let display: String
    let owner: X11Selections
    private let counter = LossCounter()

    init() async throws {
      display = try await Self.server.value.display
      owner = X11Selections(display: display) { [counter] _ in counter.count.withLock { $0 += 1 } }
    }

    @Test(arguments: [0, 256 << 10 - 1, 256 << 10, 10 << 20])
    func `a selection owner serves texts of any size completely`(_ size: Int) async throws {
      let text = sampleText(size)
      try await owner.offer(text)
      #expect(try await paste(display: display) == text)
      #expect(try await output(of: ["xsel", "-b", "-o"], display: display) == text)
      let reader = X11Selections(display: display)
      #expect(await reader.outcome() == .content(.text(text)))
    }

    @Test(arguments: textTargets, ["é\0\u{1F600}", String(repeating: "é", count: 200_000)])
    func `a selection owner serves every text target`(_ target: String, _ text: String) async throws {
      try await owner.offer(Array(text.utf8))
      #expect(try await paste("-t", target, display: display) == Array(text.utf8))
    }

    @Test func `a selection owner lists its targets and serves each with the right type`() async throws {
      try await owner.offer(Array("typed".utf8))
      let listed = try await paste("-t", "TARGETS", display: display)
      let names = String(decoding: listed, as: UTF8.self).split(separator: "\n").map(String.init)
      #expect(names == ["TARGETS", "TIMESTAMP", "MULTIPLE"] + Self.textTargets)
      let requestor = try Client.fixture(
        "requestor", "types", "UTF8_STRING", "STRING", "TEXT", display: display)
      #expect(
        try await requestor.lines() == [
          "UTF8_STRING UTF8_STRING 8 typed", "STRING STRING 8 typed", "TEXT UTF8_STRING 8 typed",
        ])
    }

    @Test(arguments: [
      ("obsolete", ["UTF8_STRING served"]),
      ("outdated", ["served", "refused", "served", "served", "served"]),
      ("multiple", ["ATOM_PAIR UTF8_STRING A None B TARGETS C None D None None", "served", "9"]),
      ("multiple_badly", ["None", "None", "None", "None"]),
      ("pranks", ["Q"]),
    ])
    func `a selection owner answers unusual requests correctly`(_ how: String, _ expected: [String])
      async throws
    {
      try await owner.offer(Array("served".utf8))
      #expect(try await Client.fixture("requestor", how, display: display).lines() == expected)
      try await expectNextPasteIsRight()
    }

    @Test(arguments: [("two", 2), ("again", 1)])
    func `two transfers to one program are independent`(_ behaviour: String, _ count: Int) async throws {
      let text = sampleText(3 << 20)
      try await owner.offer(text)
      let lines = try await Client.fixture("requestor", behaviour, display: display).lines()
      let sum = try await digest(text)
      #expect(lines == Array(repeating: sum, count: count))
      try await expectNextPasteIsRight()
    }

    /// Sending a long text to the owner's own window would deselect the events that provide the server time.
    @Test func `forged requests for a long text do not disturb a selection owner`() async throws {
      let owner = X11Selections(display: display, idleTimeout: .milliseconds(200))
      try await owner.offer(sampleText(1 << 20))
      #expect(try await Client.fixture("requestor", "pranks", display: display).lines() == ["Q"])
      // During this wait a transfer to the owner's window would time out, and the window's events would be deselected.
      try await expectRoomForEveryTransfer()
      try await owner.offer(Array("the next".utf8))
      #expect(try await paste(display: display) == Array("the next".utf8))
    }

    @Test(arguments: [true, false])
    func `a transfer continues with its original text while a new offer is served`(_ isOthers: Bool)
      async throws
    {
      let text = sampleText(3 << 20)
      try await owner.offer(text)
      let slow = try Client.fixture("requestor", "slowly", display: display)
      #expect(try await slow.nextLine() == "begun INCR")
      if isOthers {
        let other = try await Client.owner("Owner", display: display)
        #expect(try await eventually { await !owner.isOwner })
        withExtendedLifetime(other) {}
      } else {
        let another = sampleText(10 << 20)
        try await owner.offer(another)
        #expect(try await paste(display: display) == another)
      }
      try slow.tell("go on")
      #expect(try await slow.nextLine() == digest(text))
      try await expectNextPasteIsRight()
    }

    @Test func `a requestor that exits during a transfer does not disturb a selection owner`() async throws {
      try await owner.offer(sampleText(3 << 20))
      let requestor = try Client.fixture("requestor", "slowly", display: display)
      #expect(try await requestor.nextLine() == "begun INCR")
      requestor.signal(SIGKILL)
      try await expectRoomForEveryTransfer()
      try await expectNextPasteIsRight()
    }

    @Test func `at most 64 transfers run together, and all time out if their requestors do not read`()
      async throws
    {
      // On a slow machine, some of these would time out before the last is requested.
      try await owner.offer(sampleText(1 << 20))
      let many = try Client.fixture("requestor", "never", "70", display: display)
      #expect(try await many.nextLine() == "begun 64")
      let impatient = X11Selections(display: display, idleTimeout: .milliseconds(200))
      try await impatient.offer(sampleText(1 << 20))
      let requestor = try Client.fixture("requestor", "never", "64", display: display)
      #expect(try await requestor.nextLine() == "begun 64")
      try await expectRoomForEveryTransfer()
      withExtendedLifetime((impatient, many, requestor)) {}
    }

    @Test func `a flood of requests to a selection owner does not block other requestors`() async throws {
      try await owner.offer(Array("before".utf8))
      let flood = try Client.fixture("requestor", "flood", display: display)
      #expect(try await flood.nextLine() == "asked")
      try await expectNextPasteIsRight()
      withExtendedLifetime(flood) {}
    }

    @Test func `a selection owner reports the loss of the clipboard exactly once`() async throws {
      try await owner.offer(Array("first".utf8))
      try await owner.offer(Array("second".utf8))
      #expect(await owner.isOwner)
      let other = try await Client.owner("Owner", display: display)
      #expect(try await eventually { await !owner.isOwner })
      #expect(counter.count.withLock { $0 } == 1)
      #expect(try await paste(display: display) == Array("the owner's text".utf8))
      withExtendedLifetime(other) {}
      try await expectNextPasteIsRight()
      #expect(counter.count.withLock { $0 } == 1)
    }

    @Test(.tags(.copiesAsOfThePress))
    func `a selection owner does not take the clipboard from a program that has copied since the press`()
      async throws
    {
      let press = try serverTime()
      try await owner.offer(Array("later".utf8))
      // A press before an own offer is not refused.
      try await owner.offer(Array("first".utf8), at: press)
      #expect(try await paste(display: display) == Array("first".utf8))
      let other = try await Client.owner("Owner", display: display)
      await #expect(throws: TransferError.ownershipLost) {
        try await owner.offer(Array("late".utf8), at: press)
      }
      #expect(try await paste(display: display) == Array("the owner's text".utf8))
      try await owner.offer(Array("again".utf8), at: serverTime())
      #expect(try await paste(display: display) == Array("again".utf8))
      withExtendedLifetime(other) {}
    }

    @Test(arguments: ["kill", "destroy"])
    func `a selection owner reports that it was killed or its window destroyed by another client`(
      _ how: String
    )
      async throws
    {
      try await owner.offer(Array("ours".utf8))
      let window = try #require(await owner.window)
      let vandal = try Client.fixture("requestor", "attack", how, "\(window)", display: display)
      #expect(try await vandal.lines() == ["done"])
      #expect(try await eventually { await !owner.isOwner })
      #expect(counter.count.withLock { $0 } >= 1)
      // The next offer opens a new connection.
      try await expectNextPasteIsRight()
    }

    @Test func `a selection owner serves its text even if another client sets a property on its window`()
      async throws
    {
      try await owner.offer([])
      let window = try #require(await owner.window)
      let vandal = try Client.fixture("requestor", "attack", "occupy", "\(window)", display: display)
      #expect(try await vandal.lines() == ["done"])
      try await expectNextPasteIsRight()
    }

    @Test func `a display name with a screen number selects the root window of that screen`() async throws {
      let server = try await XServer(screens: 2)
      let roots = try ["", ".0", ".1"].map { try XConnection(display: server.display + $0).root }
      #expect(roots[0] == roots[1] && roots[1] != roots[2])
    }

    // MARK: - Tools

    /// Expects that the maximum number of transfers can be started; the clipboard must hold a long text.
    private func expectRoomForEveryTransfer(sourceLocation: SourceLocation = #_sourceLocation) async throws {
      let hasRoom = try await eventually {
        let requestor = try Client.fixture("requestor", "never", "64", display: display)
        return try await requestor.nextLine() == "begun 64"
      }
      #expect(hasRoom, sourceLocation: sourceLocation)
    }

    private func serverTime() throws -> UInt32 {
      let connection = try XConnection(display: display)
      let atoms = try Atoms(connection)
      connection.requestTime(for: connection.makeWindow(), through: atoms[.timeProperty])
      try connection.synchronise(.endless)
      while let event = connection.consumeQueuedEvent() {
        if case .propertySet(_, _, let time) = event { return time }
      }
      throw TestSupportError("no time")
    }

    /// Returns the text's size and SHA-256, as `requestor.py` prints them.
    private func digest(_ text: [UInt8]) async throws -> String {
      let sum = try await Program.run(["sha256sum"], environment: ["PATH": "/usr/bin:/bin"], input: text)
      return "\(text.count) \(sum.text.prefix(64))"
    }

    private func expectNextPasteIsRight(sourceLocation: SourceLocation = #_sourceLocation) async throws {
      try await owner.offer(Array("the next".utf8))
      let pasted = try await paste(display: display)
      #expect(pasted == Array("the next".utf8), sourceLocation: sourceLocation)
    }
  }
}

private final class LossCounter: Sendable {
  let count = Mutex(0)
}
