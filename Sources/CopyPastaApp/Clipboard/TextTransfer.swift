import ClipboardCore
import GtkKit
import SerialQueue

/// Reads a stream to its end, within limits.
@MainActor
struct TextTransfer {
  let limits: TransferLimits

  /// Large enough that 64 MiB take few turns of the main loop, small enough that each turn is short.
  private static let pieceSize = 256 << 10

  /// Everything that a stream delivers, which `open` asks for.
  ///
  /// - Throws: `TransferError.timedOut` or `.tooLarge`; what the stream throws.
  func bytes(from open: @escaping @MainActor () async throws -> InputStream) async throws -> [UInt8] {
    let (answers, answer) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
    let deadline = Deadline(limits) { answer.finish(throwing: TransferError.timedOut) }
    let reading = Task.unpooled {
      do {
        answer.yield(try await read(open, extending: deadline))
      } catch {
        answer.finish(throwing: error)
      }
    }
    // Not waited for: a read that GDK has begun on X11 does not end when it is cancelled.
    defer {
      deadline.end()
      reading.cancel()
    }
    for try await bytes in answers { return bytes }
    throw CancellationError()
  }

  private func read(
    _ open: @MainActor () async throws -> InputStream, extending deadline: Deadline
  ) async throws -> [UInt8] {
    let stream = try await open()
    var bytes: [UInt8] = []
    while true {
      deadline.extend()
      let piece = try await stream.read(atMost: Self.pieceSize)
      if piece.isEmpty { return bytes }
      bytes += piece
      guard bytes.count <= limits.bytes else { throw TransferError.tooLarge(limit: limits.bytes) }
    }
  }
}

extension Drop: DroppedText {
  func read(within limits: TransferLimits) async throws(TransferError) -> [UInt8] {
    do {
      return try await TextTransfer(limits: limits).bytes { try await self.read(TextFormat.mimeTypes) }
    } catch {
      throw error as? TransferError ?? .refused
    }
  }
}

/// The end of a transfer's time: for the next piece, and for all of it.
@MainActor
private final class Deadline {
  private let idleTimeout: Duration
  private var timers: [Timeout] = []
  private let passed: @MainActor () -> Void

  init(_ limits: TransferLimits, passed: @escaping @MainActor () -> Void) {
    idleTimeout = limits.idleTimeout
    self.passed = passed
    timers = [Timeout(after: limits.total, passed)]
    extend()
  }

  /// Something arrived: the wait for the next piece begins anew.
  func extend() {
    if timers.count > 1 { timers.removeLast() }
    timers.append(Timeout(after: idleTimeout, passed))
  }

  func end() { timers = [] }
}
