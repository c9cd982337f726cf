import CGtk
import SerialQueue

/// The desktop's clipboard, as GDK provides it.
@MainActor
public final class Clipboard: Object {
  /// The clipboard of the default display; nil before a display is open.
  public static var ofDisplay: Clipboard? {
    guard let display = gdk_display_get_default() else { return nil }
    return Clipboard(Owned(borrowing: gdk_display_get_clipboard(display)))
  }

  /// Calls `body` when the owner or its formats have changed.
  ///
  /// On X11 this happens twice for each owner: first without formats, then with them.
  public func onChange(_ body: @escaping @MainActor () -> Void) { connect("changed", body) }

  /// The offered types, in the owner's order.
  ///
  /// GDK already has this list, so the owner is not queried.
  public var mimeTypes: [String] { names(of: gdk_clipboard_get_formats(opaque)) }

  private var offered: DeferredContent?

  /// Whether the clipboard holds the last content that `offer` has set.
  ///
  /// GDK's own `is_local` is also true of a copy in an entry of this program, and on Wayland of an empty clipboard.
  public var isOffering: Bool {
    guard let offered, let content = gdk_clipboard_get_content(opaque) else { return false }
    return UnsafeMutableRawPointer(content) == offered.raw
  }

  /// Waits for a round trip to the desktop; afterwards all earlier changes have arrived and `onChange` was called for
  /// them.
  public func synchronise() { gdk_display_sync(gdk_clipboard_get_display(opaque)) }

  /// Offers `bytes` under each of these MIME types.
  ///
  /// The bytes are copied once, however many programs paste them.
  public func offer(_ bytes: [UInt8], as mimeTypes: [String]) {
    let content = DeferredContent(Bytes(bytes), types: mimeTypes)
    offered = content
    gdk_clipboard_set_content(opaque, content.cast())
  }

  /// Requests a type.
  ///
  /// - Parameter prepare: called immediately before the request, so that nothing can change in between; if it throws,
  ///   no request is sent.
  /// - Throws: `GLibError` if the owner refuses or does not offer the type; `CancellationError` if the task is
  ///   cancelled.
  public func read(_ type: String, prepare: @MainActor () throws -> Void = {}) async throws -> InputStream {
    try await awaitingResult { cancellable, callback, data in
      try prepare()
      // GDK copies the names.
      withCStrings([type]) {
        gdk_clipboard_read_async(opaque, $0, G_PRIORITY_DEFAULT, cancellable, callback, data)
      }
    } finish: { [opaque] result, error in
      gdk_clipboard_read_finish(opaque, result, nil, error).map {
        InputStream(Owned(taking: $0))
      }
    }
  }
}

/// Bytes that are written to each program that requests them.
///
/// GDK's own content providers wait forever for a program that does not read.
@MainActor
public final class DeferredContent: Object {
  /// Creates content with the same bytes for each of these types.
  ///
  /// - Parameter idleTimeout: how long a program may read nothing before its request fails.
  public init(_ bytes: Bytes, types: [String], idleTimeout: Duration = .seconds(30)) {
    let provider = Provider(bytes, types: types, idleTimeout: idleTimeout)
    super.init(Owned(taking: deferredContentType.instance(of: provider)))
  }

  /// The maximum number of concurrent requests, which limits the memory that programs occupy if they never read.
  static let capacity = 64
}

@MainActor
private final class Provider {
  let types: [String]
  private let bytes: Bytes
  private let idleTimeout: Duration
  /// The number of requests in progress, for all `DeferredContent` objects together.
  private static var served = 0

  init(_ bytes: Bytes, types: [String], idleTimeout: Duration) {
    (self.bytes, self.types, self.idleTimeout) = (bytes, types, idleTimeout)
  }

  /// Writes the bytes to a stream, and then completes the task for which GDK waits.
  func write(to stream: OutputStream, ending task: Owned) async {
    let task = OpaquePointer(task.raw)
    do {
      guard Self.served < DeferredContent.capacity else { throw CancellationError() }
      Self.served += 1
      defer { Self.served -= 1 }
      try await stream.write(bytes, idleTimeout: idleTimeout)
      g_task_return_boolean(task, 1)
    } catch {
      // This message is not shown.
      g_task_return_error(
        task, g_error_new_literal(g_io_error_quark(), gint(G_IO_ERROR_FAILED.rawValue), "-"))
    }
  }
}

@MainActor private let deferredContentType = SwiftType(
  name: "CopyPastaDeferredContent", parent: gdk_content_provider_get_type(),
  classSize: MemoryLayout<GdkContentProviderClass>.size, fill: fillContentClass)

@MainActor
private func fillContentClass(_ table: UnsafeMutableRawPointer) {
  typealias Class = GdkContentProviderClass
  let formats: @MainActor @convention(c) (gpointer?) -> OpaquePointer? = { provider in
    let types = provider.flatMap { swiftObject(behind: $0, Provider.self) }?.types ?? []
    return contentFormats(of: types)
  }
  let write:
    @MainActor @convention(c) (
      gpointer?, gpointer?, gpointer?, gint, gpointer?, GAsyncReadyCallback?, gpointer?
    ) -> Void = { provider, _, stream, _, cancellable, callback, data in
      guard let provider, let stream, let content = swiftObject(behind: provider, Provider.self) else {
        return
      }
      let task = g_task_new(
        provider, cancellable?.assumingMemoryBound(to: GCancellable.self), callback, data)
      let owned = Owned(taking: task)
      let output = OutputStream(Owned(borrowing: stream))
      Task.unpooled { await content.write(to: output, ending: owned) }
    }
  let finish:
    @convention(c) (gpointer?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?) ->
      gboolean =
      { _, result, error in g_task_propagate_boolean(result, error) }
  let table = table.assumingMemoryBound(to: Class.self)
  table.pointee.ref_formats = unsafeBitCast(formats, to: type(of: table.pointee.ref_formats))
  table.pointee.write_mime_type_async = unsafeBitCast(
    write, to: type(of: table.pointee.write_mime_type_async))
  table.pointee.write_mime_type_finish = unsafeBitCast(
    finish, to: type(of: table.pointee.write_mime_type_finish))
}

/// Returns the `GdkContentFormats` of these types (transfer full).
@MainActor
func contentFormats(of types: [String]) -> OpaquePointer? {
  let builder = gdk_content_formats_builder_new()
  for type in types { gdk_content_formats_builder_add_mime_type(builder, type) }
  return gdk_content_formats_builder_free_to_formats(builder)
}

@MainActor
private func names(of formats: OpaquePointer?) -> [String] {
  var count: gsize = 0
  guard let formats, let names = gdk_content_formats_get_mime_types(formats, &count) else { return [] }
  return (0..<Int(count)).compactMap { names[$0].map { String(cString: $0) } }
}

/// Content that another program has dropped on a widget.
@MainActor
public final class Drop: Object {
  public let time: UInt32

  init(_ drop: OpaquePointer, at time: UInt32) {
    self.time = time
    super.init(Owned(borrowing: drop))
  }

  /// The offered types, in the source's order; on X11 only MIME types.
  public var formats: [String] { names(of: gdk_drop_get_formats(opaque)) }

  /// Requests a type.
  ///
  /// - Parameter prepare: called immediately before the request; if it throws, no request is sent.
  /// - Throws: `GLibError` if the request fails; `CancellationError` if the task is cancelled.
  public func read(_ type: String, prepare: @MainActor () throws -> Void) async throws -> InputStream {
    try await awaitingResult { cancellable, callback, data in
      try prepare()
      // GDK copies the names.
      withCStrings([type]) {
        gdk_drop_read_async(opaque, $0, G_PRIORITY_DEFAULT, cancellable, callback, data)
      }
    } finish: { [opaque] result, error in
      gdk_drop_read_finish(opaque, result, nil, error).map {
        InputStream(Owned(taking: $0))
      }
    }
  }

  /// Completes the drop and reports to the other program whether it was accepted; call it exactly once.
  public func finish(accepted: Bool) {
    gdk_drop_finish(opaque, accepted ? copypasta_GDK_ACTION_COPY : GdkDragAction(rawValue: 0))
    // On X11, GTK 4.8 leaks the drop, which continues to receive messages from its drag source. The source's next drag
    // would change this drop's actions, and GDK would print a critical warning.
    g_signal_handlers_disconnect_matched(
      UnsafeMutableRawPointer(gdk_drop_get_display(opaque)), copypasta_G_SIGNAL_MATCH_DATA, 0, 0, nil, nil,
      raw)
  }
}

extension Widget {
  /// Accepts drops of these types from other programs, but not from this program.
  ///
  /// - Parameter isAccepted: whether a drop would be accepted now; if not, the widget is not a drop target.
  public final func onDrop(
    of types: [String], isAccepted: @escaping @MainActor () -> Bool = { true },
    _ body: @escaping @MainActor (Drop) -> Void
  ) {
    let target = add(
      controller: gtk_drop_target_async_new(contentFormats(of: types), copypasta_GDK_ACTION_COPY))
    target.connectReturning("accept") { [target = target.opaque] (drop: OpaquePointer) in
      isAccepted() && gdk_drop_get_drag(drop) == nil
        && gdk_content_formats_match(
          gdk_drop_get_formats(drop), gtk_drop_target_async_get_formats(target)) != 0
    }
    target.connectReturning("drop") { [target = target.opaque] (drop: OpaquePointer) -> Bool in
      body(Drop(drop, at: gtk_event_controller_get_current_event_time(target)))
      return true
    }
  }
}

/// A stream of bytes from another program.
@MainActor
public final class InputStream: Object {
  /// Returns the next bytes, at most `count`; empty at the end.
  ///
  /// - Throws: `GLibError` if the stream fails; `CancellationError` if the task is cancelled.
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

/// A stream of bytes to another program.
@MainActor
public final class OutputStream: Object {
  /// The size of one write, in bytes; each completed write restarts the idle timeout.
  private static let chunkSize = 256 << 10

  /// Writes all of the bytes.
  ///
  /// - Parameter idleTimeout: how long the other program may read nothing before the write fails.
  /// - Throws: `GLibError` if the stream fails or the timeout has passed; `CancellationError` if the task is cancelled.
  public func write(_ bytes: Bytes, idleTimeout: Duration) async throws {
    neverBlock()
    var written = 0
    while written < bytes.count {
      let chunk = bytes.part(from: written, atMost: Self.chunkSize)
      written += try await awaitingResult(within: idleTimeout) { cancellable, callback, data in
        g_output_stream_write_bytes_async(
          cast(), chunk.pointer, G_PRIORITY_DEFAULT, cancellable, callback, data)
      } finish: { [stream = cast(to: GOutputStream.self)] result, error -> Int? in
        let count = g_output_stream_write_bytes_finish(stream, result, error)
        return count < 0 ? nil : count
      }
    }
  }

  /// Makes the descriptor nonblocking, because GDK uses the blocking descriptor that Wayland provides: a program that
  /// pastes but never reads would block the main loop.
  private func neverBlock() {
    guard copypasta_is_a(raw, g_unix_output_stream_get_type()) != 0 else { return }
    g_unix_set_fd_nonblocking(g_unix_output_stream_get_fd(raw), 1, nil)
  }
}
