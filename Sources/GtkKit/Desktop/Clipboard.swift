import CGtk
import SerialQueue

/// The desktop's clipboard, as GDK sees it.
@MainActor
public final class Clipboard: Object {
  /// The clipboard of the default display; nil before there is one.
  public static var ofDisplay: Clipboard? {
    guard let display = gdk_display_get_default() else { return nil }
    return Clipboard(Owned(borrowing: gdk_display_get_clipboard(display)))
  }

  /// Calls `body` when the owner or its offer changed.
  ///
  /// On X11 that is twice for each owner: without formats, then with.
  public func onChange(_ body: @escaping @MainActor () -> Void) { connect("changed", body) }

  /// The types that are offered, in the owner's order.
  ///
  /// Asking costs nothing: no owner is spoken to.
  public var mimeTypes: [String] {
    var count: gsize = 0
    guard let formats = gdk_clipboard_get_formats(opaque),
      let names = gdk_content_formats_get_mime_types(formats, &count)
    else { return [] }
    return (0..<Int(count)).compactMap { names[$0].map { String(cString: $0) } }
  }

  /// Whether this program owns the clipboard.
  ///
  /// On Wayland also true if nobody does.
  public var isLocal: Bool { gdk_clipboard_is_local(opaque) != 0 }

  /// Waits for the desktop's answer: all that it knew before the call is known here by then, and `onChange` was called
  /// for it.
  public func synchronise() { gdk_display_sync(gdk_clipboard_get_display(opaque)) }

  /// Offers the same bytes under each of these types.
  ///
  /// The bytes are copied once, however many programs paste them.
  public func offer(_ bytes: [UInt8], as mimeTypes: [String]) {
    // Not one of GDK's providers of bytes: those wait without end for a program that does not read.
    let bytes = Bytes(bytes)
    let content = DeferredContent(types: mimeTypes) { bytes }
    gdk_clipboard_set_content(opaque, content.cast())
  }

  /// Asks the owner for the first of these types that it offers.
  ///
  /// - Throws: `GLibError` if the owner refuses or offers none; `CancellationError` if the task is cancelled.
  public func read(_ mimeTypes: [String]) async throws -> InputStream {
    try await awaitingResult { cancellable, callback, data in
      // GDK copies the names.
      withCStrings(mimeTypes) {
        gdk_clipboard_read_async(opaque, $0, G_PRIORITY_DEFAULT, cancellable, callback, data)
      }
    } finish: { [opaque] result, error in
      gdk_clipboard_read_finish(opaque, result, nil, error).map {
        InputStream(Owned(taking: $0))
      }
    }
  }
}

/// Content that is fetched when somebody asks for it, for what is dragged out of the program.
///
/// ```swift
/// let content = DeferredContent(types: ["text/plain"]) { try await textOfRow() }
/// ```
@MainActor
public final class DeferredContent: Object {
  /// Makes content of some types, the same bytes for each; an error of `fetch` refuses the request.
  ///
  /// - Parameter idleTimeout: how long a program that asked may take nothing before it is given up.
  public init(
    types: [String], idleTimeout: Duration = .seconds(30),
    fetch: @escaping @MainActor () async throws -> Bytes
  ) {
    super.init(
      Owned(
        taking: deferredContentType.instance(
          of: Fetcher(types: types, idleTimeout: idleTimeout, fetch: fetch))))
  }

  /// The most programs at once: programs that ask and never read must not take memory without bound.
  static let capacity = 64
}

/// The fields of a content's instance.
@MainActor
private final class Fetcher {
  let types: [String]
  private let idleTimeout: Duration
  private let fetch: @MainActor () async throws -> Bytes
  /// How many programs are being served, with whatever content.
  private static var served = 0

  init(types: [String], idleTimeout: Duration, fetch: @escaping @MainActor () async throws -> Bytes) {
    self.types = types
    self.idleTimeout = idleTimeout
    self.fetch = fetch
  }

  /// Writes the bytes to a stream, then ends the task that GDK waits for.
  func write(to stream: OutputStream, ending task: Owned) async {
    let task = OpaquePointer(task.raw)
    do {
      guard Self.served < DeferredContent.capacity else { throw CancellationError() }
      Self.served += 1
      defer { Self.served -= 1 }
      try await stream.write(await fetch(), idleTimeout: idleTimeout)
      g_task_return_boolean(task, 1)
    } catch {
      // The reason is told where the bytes come from.
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
    let types = provider.flatMap { swiftObject(behind: $0, Fetcher.self) }?.types ?? []
    return contentFormats(of: types)
  }
  let write:
    @MainActor @convention(c) (
      gpointer?, gpointer?, gpointer?, gint, gpointer?, GAsyncReadyCallback?, gpointer?
    ) -> Void = { provider, _, stream, _, cancellable, callback, data in
      guard let provider, let stream, let fetcher = swiftObject(behind: provider, Fetcher.self) else {
        return
      }
      let task = g_task_new(
        provider, cancellable?.assumingMemoryBound(to: GCancellable.self), callback, data)
      let owned = Owned(taking: task)
      let output = OutputStream(Owned(borrowing: stream))
      Task.unpooled { await fetcher.write(to: output, ending: owned) }
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

/// The formats that stand for some types (transfer full).
@MainActor
func contentFormats(of types: [String]) -> OpaquePointer? {
  let builder = gdk_content_formats_builder_new()
  for type in types { gdk_content_formats_builder_add_mime_type(builder, type) }
  return gdk_content_formats_builder_free_to_formats(builder)
}

/// Something that another program dropped on a widget.
@MainActor
public final class Drop: Object {
  /// Asks for the first of these types that is offered.
  ///
  /// - Throws: `GLibError` if it is refused; `CancellationError` if the task is cancelled.
  public func read(_ types: [String]) async throws -> InputStream {
    try await awaitingResult { cancellable, callback, data in
      // GDK copies the names.
      withCStrings(types) {
        gdk_drop_read_async(opaque, $0, G_PRIORITY_DEFAULT, cancellable, callback, data)
      }
    } finish: { [opaque] result, error in
      gdk_drop_read_finish(opaque, result, nil, error).map {
        InputStream(Owned(taking: $0))
      }
    }
  }

  /// Tells the other program that the drop is over, and whether it was taken; to be called once.
  public func finish(accepted: Bool) {
    gdk_drop_finish(opaque, accepted ? copypasta_GDK_ACTION_COPY : GdkDragAction(rawValue: 0))
    // On X11 GTK 4.8 keeps the drop, which goes on listening to its source: the next drag from there would change the
    // drop's actions, and GDK complains of that.
    g_signal_handlers_disconnect_matched(
      UnsafeMutableRawPointer(gdk_drop_get_display(opaque)), copypasta_G_SIGNAL_MATCH_DATA, 0, 0, nil, nil,
      raw)
  }
}

extension Widget {
  /// Lets other programs drop content of these types on the widget; not this program itself.
  ///
  /// - Parameter isAccepted: whether a drop would be taken at this moment; if not, the widget is no place to drop on.
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
    target.connectReturning("drop") { (drop: OpaquePointer) -> Bool in
      body(Drop(Owned(borrowing: drop)))
      return true
    }
  }
}

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
  /// - Throws: `GLibError` if the stream breaks, or the other side is given up; `CancellationError` if the task is
  ///   cancelled.
  public func write(_ bytes: Bytes, idleTimeout: Duration) async throws {
    neverBlock()
    var written = 0
    while written < bytes.count {
      let piece = bytes.part(from: written, atMost: Self.pieceSize)
      written += try await awaitingResult(within: idleTimeout) { cancellable, callback, data in
        g_output_stream_write_bytes_async(
          cast(), piece.pointer, G_PRIORITY_DEFAULT, cancellable, callback, data)
      } finish: { [stream = cast(to: GOutputStream.self)] result, error -> Int? in
        let count = g_output_stream_write_bytes_finish(stream, result, error)
        return count < 0 ? nil : count
      }
    }
  }

  /// GDK hands over the descriptor that Wayland gave it, which blocks: a program that pastes and never reads would
  /// stop the main loop.
  private func neverBlock() {
    guard copypasta_is_a(raw, g_unix_output_stream_get_type()) != 0 else { return }
    g_unix_set_fd_nonblocking(g_unix_output_stream_get_fd(raw), 1, nil)
  }
}
