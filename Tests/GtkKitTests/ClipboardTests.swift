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
    #expect(clipboard.isLocal)
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

  @Test func `reading a type that the clipboard does not offer throws`() async throws {
    let clipboard = try #require(Clipboard.ofDisplay)
    clipboard.offer([1], as: ["text/plain"])
    var failure: (any Error)?
    let reading = Task {
      do { _ = try await clipboard.read("image/png") } catch { failure = error }
    }
    try await pump("GDK's answer") { failure != nil }
    await reading.value
    #expect(failure is GLibError)
  }

  @Test func `a cancelled clipboard read throws a cancellation error`() async throws {
    let clipboard = try #require(Clipboard.ofDisplay)
    clipboard.offer([1], as: ["text/plain"])
    var failure: (any Error)?
    let reading = Task {
      do { _ = try await clipboard.read("text/plain") } catch { failure = error }
    }
    reading.cancel()
    try await pump("GDK's answer") { failure != nil }
    #expect(failure is CancellationError)
  }

  @Test func `a clipboard's change handler is called, and released when disconnected`() throws {
    let clipboard = try #require(Clipboard.ofDisplay)
    weak var captured: Token?
    var changes = 0
    do {
      let token = Token()
      captured = token
      let connection = clipboard.connect("changed") {
        _ = token
        changes += 1
      }
      clipboard.offer([1], as: ["text/plain"])
      clipboard.disconnect(connection)
    }
    #expect(changes > 0)
    #expect(captured == nil)
  }

  @Test func `an application and its closures do not leak`() {
    expectNoLeak { token in
      let application = Application(id: "org.copypasta.Test")
      application.onActivate { _ = token }
      application.addAction("test", keys: ["<Control>t"]) { _ = token }
      return application
    }
  }
}
