import CGtk
import GtkTestSupport
import Testing

@testable import GtkKit

/// GDK's clipboard and its streams, with this process's own offer.
@MainActor
@Suite(.serialized) struct ClipboardTests {
  init() async throws { try await TestDisplay.open() }

  @Test func `a clipboard offer is read as a stream that is released afterwards`() async throws {
    let clipboard = try #require(Clipboard.ofDisplay)
    let bytes = Array("a text\u{0}with a NUL".utf8)
    clipboard.offer(bytes, as: ["text/plain;charset=utf-8", "STRING"])
    #expect(clipboard.isOffering)
    #expect(clipboard.mimeTypes == ["text/plain;charset=utf-8", "STRING"])
    var lifetime: Lifetime?
    var received: [UInt8]?
    let reading = Task {
      let stream = try await clipboard.read("STRING")
      lifetime = Lifetime(of: stream.raw)
      received = try await stream.read(atMost: 100)
    }
    try await pump("GDK's answer") { received != nil }
    try await reading.value
    #expect(received == bytes)
    try await pump("GDK's answer") { lifetime?.isOver == true }
  }

  @Test func `a copy in an entry of this program is not the clipboard's own offer`() async throws {
    let clipboard = try #require(Clipboard.ofDisplay)
    clipboard.offer([1], as: ["text/plain"])
    gdk_clipboard_set_text(clipboard.opaque, "an entry's text")
    #expect(!clipboard.isOffering)
    clipboard.offer([2], as: ["text/plain"])
    #expect(clipboard.isOffering)
  }
}
