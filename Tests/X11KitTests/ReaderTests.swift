import ClipboardCore
import Foundation
import TestSupport
import Testing

@testable import X11Kit

extension X11KitTests {
  /// Reads from owners with every kind of behaviour.
  ///
  /// After each test, the same reader must be able to read a normal owner.
  @Suite(.serialized, .tags(.skipsSecrets, .survivesOthers)) final class ReaderTests {
    private static let server = Task { try await XServer() }
    let display: String
    let reader: X11Selections
    let good: X11Selections
    /// Retained for the whole test, because a client is killed when its object is released.
    var clients: [Client] = []

    init() async throws {
      display = try await Self.server.value.display
      let permit = ReadPermit()
      permit.grant()
      reader = X11Selections(display: display, permit: permit)
      good = X11Selections(display: display)
    }

    @Test(arguments: [
      ("Owner", Outcome.text("the owner's text")),
      ("NoTargets", .failure(.refused)),
      ("TextForTargets", .failure(.refused)),
      ("ManyTargets", .failure(.refused)),
      ("Refuse", .failure(.refused)),
      ("Die", .failure(.ownerGone)),
      ("DieOnTargets", .failure(.ownerGone)),
      ("DestroyWindow", .failure(.ownerGone)),
      ("DestroyRequestor", .failure(.cancelled)),
      ("AnswerAndDie", .text("the owner's text")),
      ("EmptyPromise", .failure(.refused)),
      ("Numbers", .failure(.refused)),
      ("AtomsForText", .failure(.refused)),
      ("Forger", .text("the owner's text")),
      ("Incr", .text(String(repeating: "abc", count: 5000))),
      ("IncrZero", .text(String(repeating: "abc", count: 5000))),
      ("IncrLie", .text(String(repeating: "abc", count: 5000))),
      ("IncrAppend", .text(String(repeating: "abc", count: 5000))),
      ("IncrEmpty", .text("")),
      ("IncrDie", .failure(.ownerGone)),
      ("IncrMixed", .failure(.refused)),
      ("Image", .content(.noText)),
      ("Html", .text("bold")),
      ("UpperCharset", .text("upper")),
      ("Empty", .text("")),
      ("LongHint", .text("the owner's text")),
      ("Invalid", .content(.text([0x63, 0x61, 0x66, 0xe9]))),
      ("Nul", .text("ab\0cd")),
      ("Latin1", .text("café")),
      ("StringInUTF8", .text("café")),
      // `ClipboardOfferTests` has the rules for the order of requests.
      ("Forms:UTF8_STRING=refused,text/plain;charset=utf-8=empty,STRING=served", .text("the owner's text")),
    ])
    func `a clipboard read returns the owner's text or the matching error`(
      _ behaviour: String, _ expected: Outcome
    )
      async throws
    {
      try await own(behaviour)
      #expect(await reader.outcome() == expected)
      try await expectNextReadIsRight()
    }

    @Test func `a followed read of an owner that lists no formats reports no text`() async throws {
      try await own("NoTargets")
      #expect(await reader.outcome(reason: .followed) == .content(.noText))
    }

    @Test(arguments: ["Mute", "NoAnswer", "IncrStall", "HintUnanswered"])
    func `a read times out if the selection owner does not answer`(_ behaviour: String) async throws {
      try await own(behaviour)
      #expect(await reader.outcome(idleTimeout: .milliseconds(500)) == .failure(.timedOut))
      try await expectNextReadIsRight()
    }

    @Test func `a slow but steady transfer times out at the total limit`() async throws {
      try await own("IncrDrip")
      #expect(await reader.outcome(total: .seconds(1)) == .failure(.timedOut))
      try await expectNextReadIsRight()
    }

    @Test(
      arguments: [
        ("Secret", .pasted), ("HintRefused", .followed), ("SecretOfGtk", .dropped(at: 0)),
      ] as [(String, SelectionRead.Reason)])
    func `a secret's text is never requested`(_ behaviour: String, way: SelectionRead.Reason) async throws {
      let owner = try await own(behaviour, for: way)
      #expect(await reader.outcome(reason: way) == .content(.secret))
      try await own("Owner", for: way)
      #expect(await reader.outcome(reason: way) == .text("the owner's text"))
      #expect(try await owner.lines(before: "lost") == ["TARGETS", "x-kde-passwordManagerHint"])
    }

    @Test func `a read sends no request if its offer was replaced`() async throws {
      let owner = try await own("Owner")
      let press = ReadPermit()
      press.grant()
      var read = SelectionRead(.pasted, under: press, within: TransferLimits())
      read.offer = reader.offer + 1
      await #expect(throws: TransferError.cancelled) { try await self.reader.read(read) }
      try await expectNextReadIsRight()
      #expect(try await owner.lines(before: "lost") == [])
    }

    @Test func `only a bounded number of windows is kept for owners that never answer`() throws {
      let connection = try XConnection(display: display)
      let requests = OrphanedRequests(connection)
      let windows = (1...40).map { _ in connection.makeWindow() }
      for window in windows { requests.keep(window, until: .answer) }
      #expect(requests.windows.map(\.window) == windows.suffix(32))
      connection.select(.properties, on: windows[0])
      try connection.synchronise(.endless)
      var isGone = false
      while let event = connection.consumeQueuedEvent() {
        if case .windowMissing(windows[0]) = event { isGone = true }
      }
      #expect(isGone, "the oldest window is still there")
    }

    /// The size limit applies to Latin-1 text after its conversion to UTF-8.
    @Test(arguments: [("Large", 4_000_000), ("Incr", 15_000), ("Owner", 16), ("Latin1", 5), ("Empty", 0)])
    func `a text of exactly the maximum size is read, and a larger one is refused as too large`(
      _ behaviour: String, _ size: Int
    ) async throws {
      try await own(behaviour)
      for limit in Set([0, size / 4, size - 1]) where 0..<size ~= limit {
        let start = ContinuousClock.now
        #expect(await reader.outcome(limit: limit) == .failure(.tooLarge(limit: limit)))
        // The read ends with the owner's last chunk, not by a timeout.
        #expect(ContinuousClock.now - start < .seconds(60))
      }
      let outcome = await reader.outcome(limit: size)
      guard case .content(.text(let text)) = outcome else { throw TestSupportError("no text: \(outcome)") }
      #expect(text.count == size)
      try await expectNextReadIsRight()
    }

    @Test func `an endless transfer is refused as too large`() async throws {
      try await own("IncrEndless")
      // On a slow machine, the first chunks may take longer than this.
      let isTooLarge = try await eventually {
        await reader.outcome(limit: 1 << 18, total: .seconds(1)) == .failure(.tooLarge(limit: 1 << 18))
      }
      #expect(isTooLarge)
      try await expectNextReadIsRight()
    }

    @Test func `a transfer is completed after another program takes the clipboard`() async throws {
      let owner = try await own("IncrLong")
      let reader = reader
      async let outcome = reader.outcome()
      _ = try await owner.lines(before: "piece")
      try await own("Owner")
      #expect(await outcome == .text(String(repeating: "abc", count: 20_000)))
      #expect(await reader.outcome() == .text("the owner's text"))
    }

    @Test func `a late answer is not mistaken for the answer to a later read`() async throws {
      let late = try await own("Late")
      let read = Task { [reader] in await reader.outcome() }
      _ = try await late.lines(before: "UTF8_STRING")
      read.cancel()
      #expect(await read.value == .failure(.cancelled))
      try await own("Html")
      #expect(await reader.outcome() == .text("bold"))
      try late.tell("go on")
      _ = try await late.lines(before: "answered")
      #expect(await reader.outcome() == .text("bold"))
    }

    /// An X error would end xclip and lose its text.
    @Test func `xclip still serves its text after several reads of the text timed out`() async throws {
      let text = sampleText(100)
      let xclip = try await own(text)
      xclip.signal(SIGSTOP)
      for _ in 1...3 {
        #expect(await reader.outcome(idleTimeout: .milliseconds(50)) == .failure(.timedOut))
      }
      xclip.signal(SIGCONT)
      #expect(await reader.outcome() == .content(.text(text)))
    }

    @Test func `cancelling ends clipboard reads that run side by side`() async throws {
      let owner = try await own("Mute")
      let read = Task { [reader] in await reader.outcome() }
      let waiting = Task { [reader] in await reader.outcome() }
      #expect(try await owner.nextLine() == "TARGETS")
      waiting.cancel()
      read.cancel()
      #expect(await read.value == .failure(.cancelled))
      #expect(await waiting.value == .failure(.cancelled))
      try await expectNextReadIsRight()
    }

    @Test func `reading a clipboard without a selection owner returns no text`() async throws {
      // The server clears the selection when the owner is released.
      try await X11Selections(display: display).offer([])
      // A program that an earlier test has just started may take the clipboard before it is killed.
      #expect(try await eventually { await reader.outcome() == .content(.noText) })
      try await expectNextReadIsRight()
    }

    @Test(arguments: [
      ("xclip", 1), ("xclip", 8 << 20), ("xsel", 1), ("xsel", 8 << 20),
    ])
    func `texts offered by xclip and xsel are read`(_ program: String, _ size: Int) async throws {
      try await own(sampleText(size), by: program)
      try await expectNextReadIsRight()
    }

    /// xclip serves no other requestor during a transfer, so the reader must let the transfer finish.
    @Test func `xclip still serves a text after a read has refused the text as too large`() async throws {
      let text = sampleText(8 << 20)
      try await own(text)
      #expect(await reader.outcome(limit: 1 << 20) == .failure(.tooLarge(limit: 1 << 20)))
      #expect(await reader.outcome() == .content(.text(text)))
    }

    // MARK: - Tools

    @discardableResult
    private func own(_ behaviour: String, for way: SelectionRead.Reason = .pasted) async throws -> Client {
      let selection = if case .dropped = way { "XdndSelection" } else { "CLIPBOARD" }
      clients.append(try await Client.owner(behaviour, of: selection, display: display))
      return clients[clients.count - 1]
    }

    /// Starts xclip or xsel with a text, and returns the program once the reader gets this text.
    @discardableResult
    private func own(_ text: [UInt8], by program: String = "xclip") async throws -> Client {
      let options =
        program == "xclip" ? ["-quiet", "-selection", "clipboard", "-i"] : ["-b", "-i", "--nodetach"]
      let client = try Client([program] + options, display: display, input: text)
      clients.append(client)
      #expect(try await eventually { await reader.outcome() == .content(.text(text)) })
      return client
    }

    /// Uses an owner in this process, because starting another program for each case takes longer.
    private func expectNextReadIsRight(sourceLocation: SourceLocation = #_sourceLocation) async throws {
      try await good.offer(Array("the next text".utf8))
      #expect(await reader.outcome() == .text("the next text"), sourceLocation: sourceLocation)
    }
  }
}
