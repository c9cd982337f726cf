import ClipboardCore
import GtkKit
import TestSupport
import Testing

@testable import ClipHistory
@testable import CopyPastaApp

/// The program marks the row whose text is on the clipboard, without reading the clipboard for this.
@MainActor
@Suite(.serialized) struct OnClipboardTests {
  private let scratch: Scratch
  private let clipboard = FakeClipboard()
  private let view = RecordingView()
  private let controller: HistorySession

  init() async throws {
    scratch = try Scratch()
    for text in ["one", "two"] { try await scratch.record(text) }
    controller = try HistorySession(
      scratch.store, scratch.history.reader, clipboard, now: { Format.now }, firstPageSize: 30, delegate: view
    )
    controller.view = view
  }

  /// Simulates a copy in another program, and waits until the outcome of the copy has arrived.
  private func copyElsewhere(_ content: ClipboardContent) async throws {
    let reads = clipboard.offers.reads
    clipboard.offers.copy(content)
    try await waitUntil("the read") { clipboard.offers.reads > reads }
    await controller.drain()
  }

  private func startReading() async throws {
    clipboard.offers.content = .own
    controller.isReading = true
    try await waitUntil("the first read") { clipboard.offers.reads == 1 }
  }

  @Test func `a copied row is marked as on the clipboard until another program takes the clipboard`() async {
    #expect(controller.onClipboard == nil)
    controller.copy(controller.ids[1])
    await controller.drain()
    #expect(controller.onClipboard == controller.ids[1])
    clipboard.lose()
    #expect(controller.onClipboard == nil)
    #expect(view.clipsOnClipboard == [controller.ids[1], nil])
  }

  @Test func `copying a command ends the mark of the row that was on the clipboard`() async {
    controller.copy(controller.ids[1])
    await controller.drain()
    #expect(await clipboard.offer(command: "copypasta --toggle") == nil)
    #expect(controller.onClipboard == nil && clipboard.offered.last == "copypasta --toggle")
  }

  @Test func `a copied row stays marked as on the clipboard while the window is inactive`()
    async throws
  {
    try await startReading()
    controller.copy(controller.ids[1])
    await controller.drain()
    controller.isReading = false
    #expect(controller.onClipboard == controller.ids[1])
  }

  @Test func `a captured row is marked as on the clipboard until the window becomes inactive`() async throws {
    try await startReading()
    try await copyElsewhere(.text(Array("three".utf8)))
    #expect(controller.texts == ["three", "two", "one"])
    #expect(controller.onClipboard == controller.ids[0])
    controller.isReading = false
    #expect(controller.onClipboard == nil)
  }

  @Test(arguments: [
    ClipboardContent.noText, .secret, .text([]), .text([0xff]),
  ])
  func `copying unrecordable content marks no row as on the clipboard`(content: ClipboardContent) async throws
  {
    try await startReading()
    try await copyElsewhere(.text(Array("three".utf8)))
    try await copyElsewhere(content)
    #expect(controller.onClipboard == nil && controller.texts.count == 3)
  }

  @Test(arguments: [
    ClipboardContent.text(Array("three".utf8)), .noText, .secret, .text([0xff]),
  ])
  func `a copied row stays marked as on the clipboard when an earlier read ends`(content: ClipboardContent)
    async throws
  {
    try await startReading()
    clipboard.offers.copy(nil)
    try await waitUntil("a read in progress") { clipboard.offers.isWaiting }
    let id = controller.ids[1]
    controller.copy(id)
    try await waitUntil("the copy") { controller.onClipboard == id }
    clipboard.offers.answer(content)
    await controller.drain()
    #expect(controller.onClipboard == id)
  }

  @Test func `a copied row stays marked as on the clipboard when an earlier paste ends`() async throws {
    try await startReading()
    clipboard.offers.contentOnPurpose = .text(Array("three".utf8))
    clipboard.offers.stallsOnPurpose = true
    controller.paste()
    try await waitUntil("the paste's read") { clipboard.offers.readsOnPurpose == 1 }
    let id = controller.ids[1]
    controller.copy(id)
    try await waitUntil("the copy") { controller.onClipboard == id }
    clipboard.offers.stallsOnPurpose = false
    await controller.drain()
    #expect(controller.texts == ["three", "two", "one"])
    #expect(controller.onClipboard == id)
  }

  @Test func `pasting a copied part of a text marks the new row as on the clipboard`() async throws {
    try await startReading()
    controller.copy(part: Array("tw".utf8))
    clipboard.offers.contentOnPurpose = .own
    controller.paste()
    await controller.drain()
    #expect(controller.texts == ["tw", "two", "one"])
    #expect(controller.onClipboard == controller.ids[0])
  }

  @Test func `copying a part of a text marks no row as on the clipboard`() async {
    controller.copy(controller.ids[0])
    controller.copy(part: Array("tw".utf8))
    await controller.drain()
    #expect(controller.onClipboard == nil)
  }

  @Test func `marking a row as on the clipboard does not read the clipboard`() async {
    controller.copy(controller.ids[0])
    await controller.drain()
    clipboard.lose()
    #expect(clipboard.offers.reads == 0 && clipboard.offers.readsOnPurpose == 0)
  }
}
