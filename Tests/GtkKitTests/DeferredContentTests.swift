import CGtk
import Glibc
import GtkTestSupport
import TestSupport
import Testing

@testable import GtkKit

/// Requests for deferred content through a pipe, as on Wayland.
@MainActor
@Suite(.serialized) struct DeferredContentTests {
  private let type = "text/plain"

  init() async throws { try await TestDisplay.open() }

  @Test func `a request from a program that reads nothing fails after the idle timeout`() async throws {
    let text = Bytes([UInt8](repeating: 97, count: 4 << 20))
    let content = DeferredContent(text, types: [type], idleTimeout: .milliseconds(50))
    let requestor = try Requestor()
    await #expect(throws: GLibError.self) {
      try await pumping { try await requestor.ask(content, for: type) }
    }
    #expect(requestor.taken.count < text.count)
  }

  @Test func `at most 64 requests are served together, and others once those finish`() async throws {
    // A pipe cannot hold the text.
    let content = DeferredContent(Bytes([UInt8](repeating: 97, count: 1 << 20)), types: [type])
    let requestors = try (0..<65).map { _ in try Requestor() }
    var outcomes: [Bool] = []
    for requestor in requestors {
      Task {
        do {
          try await requestor.ask(content, for: type)
          outcomes.append(true)
        } catch {
          outcomes.append(false)
        }
      }
    }
    try await pump("the one that is refused") { !outcomes.isEmpty }
    #expect(!outcomes.contains(true))
    try await pump("the others") {
      for requestor in requestors { _ = requestor.taken }
      return outcomes.count == 65
    }
    // All `DeferredContent` objects share the limit of 64, so requests from another test may count towards it.
    #expect((60...64).contains(outcomes.count { $0 }))
    let (next, short) = (try Requestor(), DeferredContent(Bytes([97]), types: [type]))
    try await pumping { try await next.ask(short, for: type) }
    #expect(next.taken == [97])
  }
}

/// A pasting program, represented by the reading end of a pipe.
@MainActor
private final class Requestor {
  private let ends: (read: CInt, write: CInt)

  init() throws { ends = try pipe() }

  isolated deinit { close(ends.read) }

  /// The bytes that can be read at this moment.
  var taken: [UInt8] {
    _ = fcntl(ends.read, F_SETFL, O_NONBLOCK)
    var buffer = [UInt8](repeating: 0, count: 4 << 20)
    let count = read(ends.read, &buffer, buffer.count)
    return Array(buffer.prefix(max(count, 0)))
  }

  /// Requests the content, and returns when all of it is written; call this method only once.
  func ask(_ content: DeferredContent, for type: String) async throws {
    let stream = Object(Owned(taking: g_unix_output_stream_new(ends.write, 1)))
    try await awaitingResult { cancellable, callback, data in
      gdk_content_provider_write_mime_type_async(
        content.cast(), type, stream.cast(), G_PRIORITY_DEFAULT, cancellable, callback, data)
    } finish: { [provider = content.cast(to: GdkContentProvider.self)] result, error in
      gdk_content_provider_write_mime_type_finish(provider, result, error) != 0 ? () : nil
    }
  }
}
