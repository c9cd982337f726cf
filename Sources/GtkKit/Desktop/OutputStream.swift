import CGtk

/// Bytes that go to the other side as it takes them.
@MainActor
public final class OutputStream: Object {
  /// Writes all of some bytes.
  ///
  /// - Throws: `GLibError` where the stream breaks; `CancellationError` where the task is cancelled.
  public func write(_ bytes: [UInt8]) async throws {
    let buffer = bytes.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
    defer { g_bytes_unref(buffer) }
    let _: Bool = try await awaitingResult { cancellable, callback, data in
      var size: gsize = 0
      let start = g_bytes_get_data(buffer, &size)
      g_output_stream_write_all_async(cast(), start, size, G_PRIORITY_DEFAULT, cancellable, callback, data)
    } finish: { [stream = cast(to: GOutputStream.self)] result, error in
      g_output_stream_write_all_finish(stream, result, nil, error) != 0 ? true : nil
    }
  }
}
