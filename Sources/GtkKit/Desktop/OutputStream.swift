import CGtk

/// Bytes that go to the other side as it takes them.
@MainActor
public final class OutputStream: Object {
  /// Writes all of some bytes.
  ///
  /// - Throws: `GLibError` where the stream breaks; `CancellationError` where the task is cancelled.
  public func write(_ bytes: [UInt8]) async throws {
    neverBlock()
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

  /// GDK hands over the descriptor that Wayland gave it, which blocks: a program that pastes and never reads would
  /// stop the main loop.
  private func neverBlock() {
    guard copypasta_is_a(raw, g_unix_output_stream_get_type()) != 0 else { return }
    g_unix_set_fd_nonblocking(g_unix_output_stream_get_fd(raw), 1, nil)
  }
}
