import ClipHistory
import ClipboardCore
import GtkKit
import Testing

@testable import CopyPastaApp

@MainActor
@Suite struct PastingTests {
  private let scratch: Scratch
  private let clipboard = FakeClipboard()
  private let pasting: Pasting
  private let outcomes = Outcomes()

  init() async throws {
    scratch = try Scratch()
    for text in ["one", "two"] { try await scratch.record(text) }
    let capture = Capture(clipboard.source, into: scratch.store, now: { Format.now }) { _ in }
    pasting = Pasting(clipboard, into: capture) { [outcomes] in outcomes.all.append($0) }
  }

  @Test func aTextIsRecordedAlsoWhereItIsTheLastCapturedOne() async throws {
    let newest = try #require(try scratch.history.reader.newestPage(limit: 1).first)
    try await scratch.store.delete(newest.id)
    try await paste(.text(Array("two".utf8)))
    #expect(try scratch.texts() == ["two", "one"])
    #expect(outcomes.messages == [nil])
  }

  @Test func theNewestRowIsNotDoubled() async throws {
    try await paste(.text(Array("two".utf8)))
    try await paste(.text(Array("two".utf8)))
    #expect(try scratch.texts() == ["two", "one"])
    #expect(outcomes.messages == [nil, nil])
  }

  @Test func aTextFurtherDownComesToTheTop() async throws {
    try await paste(.text(Array("one".utf8)))
    #expect(try scratch.texts() == ["one", "two", "one"])
  }

  @Test func whatWasCopiedOutOfTheHistoryComesBackThoughItsRowIsDeleted() async throws {
    try await clipboard.offer(ClipText(validating: Array("cut".utf8)))
    try await paste(.own)
    #expect(try scratch.texts() == ["cut", "two", "one"])
  }

  @Test(arguments: [
    ClipboardContent.noText, .secret, .text([]), .text([0xFF]), .text([0x61, 0x00, 0x62]),
  ])
  func whatCaptureRefusesIsRefusedWithAWord(content: ClipboardContent) async throws {
    try await paste(content)
    #expect(try scratch.texts() == ["two", "one"])
    #expect(outcomes.messages.count == 1)
    #expect(outcomes.messages.allSatisfy { $0 != nil })
  }

  private func paste(_ content: ClipboardContent) async throws {
    clipboard.content = content
    pasting.paste()
    await pasting.settle()
  }

  @MainActor
  private final class Outcomes {
    var all: [CaptureOutcome] = []
    var messages: [String?] { all.map(\.message) }
  }
}
