import Foundation
import TestSupport
import Testing
import X11Kit

extension X11KitTests {
  /// What the reader makes of every kind of owner; each test ends with a good read by the same reader.
  @Suite final class ReaderTests {
    let display: String
    let reader: SelectionReader
    /// They live as long as the test: a client is killed with its object.
    var clients: [Client] = []

    init() throws {
      display = try XServer.shared.get().display
      reader = try SelectionReader(display: display)
    }

    @Test(arguments: [
      ("Owner", Outcome.text("the owner's text")),
      ("NoTargets", .content(.noText)),
      ("TextForTargets", .content(.noText)),
      ("ManyTargets", .content(.noText)),
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
      ("Public", .text("the owner's text")),
      ("LongHint", .text("the owner's text")),
      ("Invalid", .content(.text([0x63, 0x61, 0x66, 0xe9]))),
      ("Nul", .text("ab\0cd")),
      ("Latin1", .text("café")),
      ("StringInUTF8", .text("café")),
    ])
    func `reads what an owner sends`(_ behaviour: String, _ expected: Outcome) async throws {
      try own(behaviour)
      #expect(await reader.outcome() == expected)
      try await expectNextReadIsRight()
    }

    @Test(arguments: ["Mute", "NoAnswer", "IncrStall", "HintUnanswered"])
    func `ends with the silence of`(_ behaviour: String) async throws {
      try own(behaviour)
      #expect(await reader.outcome(idleTimeout: .milliseconds(500)) == .failure(.timedOut))
      try await expectNextReadIsRight()
    }

    @Test func `ends with the total limit`() async throws {
      try own("IncrDrip")
      #expect(await reader.outcome(total: .seconds(1)) == .failure(.timedOut))
      try await expectNextReadIsRight()
    }

    @Test(arguments: ["Secret", "SecretLine", "HintRefused", "HintEmpty"])
    func `never asks for a secret`(_ behaviour: String) async throws {
      let owner = try own(behaviour)
      #expect(await reader.outcome() == .content(.secret))
      try await expectNextReadIsRight()
      #expect(try owner.lines(before: "lost") == ["TARGETS", "x-kde-passwordManagerHint"])
    }

    @Test(arguments: ["Owner", "Image"]) func `asks for nothing that is not listed`(_ behaviour: String)
      async throws
    {
      let owner = try own(behaviour)
      _ = await reader.outcome()
      try await expectNextReadIsRight()
      let asked = try owner.lines(before: "lost")
      #expect(asked == (behaviour == "Owner" ? ["TARGETS", "UTF8_STRING"] : ["TARGETS"]))
    }

    @Test(arguments: [("Large", 1 << 20), ("Incr", 14_999), ("Owner", 15), ("Owner", 0)])
    func `takes no more than its limit`(_ behaviour: String, _ limit: Int) async throws {
      try own(behaviour)
      let start = ContinuousClock.now
      #expect(
        await reader.outcome(limit: limit, idleTimeout: .seconds(60)) == .failure(.tooLarge(limit: limit)))
      // By the owner's last piece, not by its silence after it.
      #expect(ContinuousClock.now - start < .seconds(60))
      try await expectNextReadIsRight()
    }

    @Test(arguments: [("Large", 4_000_000), ("Incr", 15_000), ("Owner", 16), ("Empty", 0)])
    func `takes as much as its limit`(_ behaviour: String, _ limit: Int) async throws {
      try own(behaviour)
      guard case .content(.text(let text)) = await reader.outcome(limit: limit) else {
        Issue.record("no text")
        return
      }
      #expect(text.count == limit)
      try await expectNextReadIsRight()
    }

    @Test func `counts what Latin-1 grows to`() async throws {
      try own("Latin1")
      #expect(await reader.outcome(limit: 4) == .failure(.tooLarge(limit: 4)))
      #expect(await reader.outcome(limit: 5) == .text("café"))
    }

    @Test func `endless text is too large`() async throws {
      try own("IncrEndless")
      let outcome = await reader.outcome(limit: 1 << 20, total: .seconds(2))
      #expect(outcome == .failure(.tooLarge(limit: 1 << 20)))
      try await expectNextReadIsRight()
    }

    @Test func `a replaced owner ends its transfer`() async throws {
      let owner = try own("IncrLong")
      let reader = reader
      async let outcome = reader.outcome()
      _ = try owner.lines(before: "piece")
      try own("Owner")
      #expect(await outcome == .text(String(repeating: "abc", count: 20_000)))
      #expect(await reader.outcome() == .text("the owner's text"))
    }

    @Test func `a late answer is nobody's answer`() async throws {
      let late = try own("Late")
      #expect(await reader.outcome(idleTimeout: .milliseconds(300)) == .failure(.timedOut))
      try own("Html")
      #expect(await reader.outcome() == .text("bold"))
      _ = try late.lines(before: "answered")
      #expect(await reader.outcome() == .text("bold"))
    }

    /// An X error ends it, and the text with it.
    @Test func `an xclip that is asked and not waited for goes on`() async throws {
      let text = sampleText(100)
      let xclip = try own("xclip", text)
      #expect(try await eventually { await reader.outcome() == .content(.text(text)) })
      xclip.signal(SIGSTOP)
      for _ in 1...3 {
        #expect(await reader.outcome(idleTimeout: .milliseconds(50)) == .failure(.timedOut))
      }
      xclip.signal(SIGCONT)
      #expect(await reader.outcome() == .content(.text(text)))
    }

    @Test func `cancelling ends a read`() async throws {
      let owner = try own("Mute")
      let read = Task { [reader] in await reader.outcome(idleTimeout: .seconds(600), total: .seconds(600)) }
      let waiting = Task { [reader] in await reader.outcome(idleTimeout: .seconds(600), total: .seconds(600))
      }
      #expect(try owner.nextLine() == "TARGETS")
      waiting.cancel()
      read.cancel()
      #expect(await read.value == .failure(.cancelled))
      #expect(await waiting.value == .failure(.cancelled))
      try await expectNextReadIsRight()
    }

    @Test func `nobody owns the clipboard`() async throws {
      // The server takes the text of an owner that is let go off the clipboard.
      try await SelectionOwner(display: display).offer([])
      // A program that an earlier test has just started may still take the clipboard before it is killed.
      #expect(try await eventually { await reader.outcome() == .content(.noText) })
      try await expectNextReadIsRight()
    }

    @Test func `its own offer is not read back`() async throws {
      let owner = try SelectionOwner(display: display)
      try await owner.offer(Array("ours".utf8))
      #expect(await reader.outcome(ownWindow: owner.window) == .content(.own))
      #expect(await reader.outcome(ownWindow: owner.window &+ 1) == .text("ours"))
      try await expectNextReadIsRight()
    }

    @Test(arguments: ["xclip", "xsel"], [1, 1 << 20, 32 << 20])
    func `reads from`(_ program: String, _ size: Int) async throws {
      let text = sampleText(size)
      try own(program, text)
      #expect(try await eventually { await reader.outcome() == .content(.text(text)) })
      try await expectNextReadIsRight()
    }

    /// xclip serves nobody else in the middle of a transfer: the reader must let it come to the end.
    @Test func `a text of xclip that is too large can still be pasted`() async throws {
      let text = sampleText(8 << 20)
      try own("xclip", text)
      #expect(
        try await eventually { await reader.outcome(limit: 1 << 20) == .failure(.tooLarge(limit: 1 << 20)) })
      #expect(await reader.outcome() == .content(.text(text)))
    }

    @Test func `reads of 64 MiB are timed`() async throws {
      let text = sampleText(64 << 20)
      try own("xclip", text)
      #expect(try await eventually { await reader.outcome() == .content(.text(text)) })
      let time = await ContinuousClock().measure {
        _ = await reader.outcome()
      }
      print("64 MiB read from xclip in \(time)")
    }

    // MARK: - Tools

    @discardableResult
    private func own(_ behaviour: String) throws -> Client {
      let client = try Client.owner(behaviour, display: display)
      clients.append(client)
      #expect(try client.nextLine() == "ready")
      return client
    }

    @discardableResult
    private func own(_ program: String, _ text: [UInt8]) throws -> Client {
      let file = FileManager.default.temporaryDirectory.appending(path: "x11kit-\(UUID().uuidString)")
      try Data(text).write(to: file)
      let options =
        program == "xclip" ? ["-quiet", "-selection", "clipboard", "-i"] : ["-b", "-i", "--nodetach"]
      let client = try Client([program] + options, display: display, input: file)
      clients.append(client)
      try FileManager.default.removeItem(at: file)
      return client
    }

    private func expectNextReadIsRight(sourceLocation: SourceLocation = #_sourceLocation) async throws {
      try own("Owner")
      #expect(await reader.outcome() == .text("the owner's text"), sourceLocation: sourceLocation)
    }
  }
}
