import CGtk

/// Bytes that arrive as the other side sends them.
@MainActor
public final class InputStream: Object {
  /// The next bytes, at most so many; none at the end.
  ///
  /// - Throws: `GLibError` where the stream breaks; `CancellationError` where the task is cancelled.
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
