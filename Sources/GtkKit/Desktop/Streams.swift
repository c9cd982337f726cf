import CGtk
import SerialQueue

/// Bytes that arrive as the other side sends them.
@MainActor
public final class InputStream: Object {
  /// The next bytes, at most so many; none at the end.
  ///
  /// - Throws: `GLibError` if the stream breaks; `CancellationError` if the task is cancelled.
  public func read(atMost count: Int) async throws -> [UInt8] {
    try await awaitingResult { cancellable, callback, data in
      g_input_stream_read_bytes_async(cast(), gsize(count), G_PRIORITY_DEFAULT, cancellable, callback, data)
    } finish: { [stream = cast(to: GInputStream.self)] result, error in
      guard let bytes = g_input_stream_read_bytes_finish(stream, result, error) else { return nil }
      defer { g_bytes_unref(bytes) }
      var size: gsize = 0
      let start = g_bytes_get_data(bytes, &size)
      return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(size)))
    }
  }
}

/// Bytes that go to the other side as it takes them.
@MainActor
public final class OutputStream: Object {
  /// How much is written at once, in bytes: each piece taken is a sign of life.
  private static let pieceSize = 256 << 10

  /// Writes all of some bytes.
  ///
  /// - Parameter idleTimeout: how long the other side may take nothing before it is given up.
  /// - Throws: `GLibError` if the stream breaks; `CancellationError` if the task is cancelled, or the other side given
  ///   up.
  public func write(_ bytes: Bytes, idleTimeout: Duration) async throws {
    neverBlock()
    var written = 0
    while written < bytes.count {
      let piece = bytes.part(from: written, atMost: Self.pieceSize)
      let writing = Task.unpooled { try await self.write(piece) }
      let idle = Timeout(after: idleTimeout) { writing.cancel() }
      defer { idle.cancel() }
      written += try await withTaskCancellationHandler {
        try await writing.value
      } onCancel: {
        writing.cancel()
      }
    }
  }

  /// Writes some of a piece, as soon as the other side takes any, and says how much.
  private func write(_ piece: Bytes) async throws -> Int {
    try await awaitingResult { cancellable, callback, data in
      g_output_stream_write_bytes_async(
        cast(), piece.pointer, G_PRIORITY_DEFAULT, cancellable, callback, data)
    } finish: { [stream = cast(to: GOutputStream.self)] result, error in
      let count = g_output_stream_write_bytes_finish(stream, result, error)
      return count < 0 ? nil : count
    }
  }

  /// GDK hands over the descriptor that Wayland gave it, which blocks: a program that pastes and never reads would
  /// stop the main loop.
  private func neverBlock() {
    guard copypasta_is_a(raw, g_unix_output_stream_get_type()) != 0 else { return }
    g_unix_set_fd_nonblocking(g_unix_output_stream_get_fd(raw), 1, nil)
  }
}
