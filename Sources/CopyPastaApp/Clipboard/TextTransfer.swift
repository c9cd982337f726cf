import ClipboardCore
import GtkKit
import SerialQueue

/// Reads a stream to its end, within limits of size and time.
@MainActor
struct TextTransfer {
  let limits: TransferLimits
  /// Called when the first bytes have arrived.
  var begun: @MainActor () -> Void = {}

  /// The size of a chunk, in bytes: large enough that 64 MiB take few turns of the main loop, small enough that each
  /// turn is short.
  private static let chunkSize = 256 << 10

  /// Opens a stream and returns all its bytes.
  ///
  /// - Throws: what `open` throws, `timedOut` or `tooLarge`; GDK's own errors are an owner's refusal.
  func bytes(
    from open: @escaping @MainActor () async throws -> InputStream
  ) async throws(TransferError) -> [UInt8] {
    let answer = FirstValue<Result<[UInt8], any Error>>()
    let expire: @MainActor () -> Void = { answer.send(.failure(TransferError.timedOut)) }
    // At the time limit, return without waiting for the cancelled read to end.
    let reading = Task.unpooled {
      do {
        answer.send(.success(try await read(open, expire)))
      } catch {
        answer.send(.failure(error))
      }
    }
    defer { reading.cancel() }
    do {
      return try await answer.value(within: limits.total, else: .failure(TransferError.timedOut)).get()
    } catch {
      throw error is CancellationError ? .cancelled : error as? TransferError ?? .refused
    }
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
      let chunk = try await stream.read(atMost: Self.chunkSize)
      if chunk.isEmpty { return bytes }
      if bytes.isEmpty { begun() }
      bytes += chunk
      guard bytes.count <= limits.bytes else { throw TransferError.tooLarge(limit: limits.bytes) }
    }
  }
}
