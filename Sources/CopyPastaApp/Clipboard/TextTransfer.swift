import ClipboardCore
import GtkKit
import SerialQueue

/// Reads a stream to its end, within limits of size and time.
@MainActor
struct TextTransfer {
  let limits: TransferLimits

  /// In bytes: large enough that 64 MiB take few turns of the main loop, small enough that each turn is short.
  private static let pieceSize = 256 << 10

  /// Opens a stream and returns all its bytes.
  ///
  /// - Throws: `TransferError.timedOut` or `.tooLarge`, or the stream's own error.
  func bytes(from open: @escaping @MainActor () async throws -> InputStream) async throws -> [UInt8] {
    let (answers, answer) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
    let expire: @MainActor () -> Void = { answer.finish(throwing: TransferError.timedOut) }
    let total = Timeout(after: limits.total, expire)
    let reading = Task.unpooled {
      do {
        answer.yield(try await read(open, expire))
      } catch {
        answer.finish(throwing: error)
      }
    }
    // Do not wait for the task to end: a read that GDK has begun on X11 does not end when it is cancelled.
    defer {
      total.cancel()
      reading.cancel()
    }
    for try await bytes in answers { return bytes }
    throw CancellationError()
  }

  private func read(
    _ open: @MainActor () async throws -> InputStream, _ expire: @escaping @MainActor () -> Void
  ) async throws -> [UInt8] {
    var idle = Timeout(after: limits.idleTimeout, expire)
    defer { idle.cancel() }
    let stream = try await open()
    var bytes: [UInt8] = []
    while true {
      idle.cancel()
      idle = Timeout(after: limits.idleTimeout, expire)
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
