import ClipboardCore
import GtkKit
import GtkTestSupport
import TestSupport
import Testing

@testable import CopyPastaApp

/// Reads from a stream; each limit is short only in its own test.
@MainActor
@Suite struct TextTransferTests {
  private let stream = SocketStream()

  private func limits(
    bytes: Int = 1000, idleTimeout: Duration = .seconds(300), total: Duration = .seconds(300)
  ) -> TransferLimits {
    TransferLimits(bytes: bytes, idleTimeout: idleTimeout, total: total)
  }

  private func read(_ limits: TransferLimits) async throws -> [UInt8] {
    try await pumping { [stream] in try await TextTransfer(limits: limits).bytes { stream.input } }
  }

  @Test func `a stream is read to its end`() async throws {
    stream.send([1, 2, 3])
    stream.end()
    #expect(try await read(limits(bytes: 3)) == [1, 2, 3])
  }

  @Test func `the forms after one without an answer share one time limit`() {
    var forms = TextForms(Array(1...6), idleTimeout: .seconds(5))
    var waits: [Duration] = []
    while let (_, wait) = forms.next() {
      waits.append(wait)
      forms.skip(.timedOut)
    }
    #expect(waits == [.seconds(5)] + Array(repeating: .seconds(1), count: 5))
  }

  @Test func `a stream one byte above the size limit is refused`() async throws {
    stream.send([1, 2, 3])
    await #expect(throws: TransferError.tooLarge(limit: 2)) { try await read(limits(bytes: 2)) }
  }

  @Test func `a silent stream times out`() async throws {
    stream.send([1])
    await #expect(throws: TransferError.timedOut) { try await read(limits(idleTimeout: .milliseconds(50))) }
  }

  @Test func `a slow stream times out after the total limit`() async throws {
    let drip = Task { [stream] in
      while !Task.isCancelled {
        stream.send([1])
        try await Task.sleep(for: .milliseconds(5))
      }
    }
    await #expect(throws: TransferError.timedOut) {
      try await read(limits(bytes: .max, idleTimeout: .seconds(300), total: .milliseconds(200)))
    }
    drip.cancel()
  }

  @Test func `cancelling ends a read from a stream`() async throws {
    let reading = Task { [stream] in try await TextTransfer(limits: limits()).bytes { stream.input } }
    reading.cancel()
    await #expect(throws: CancellationError.self) { try await pumping { try await reading.value } }
  }
}
