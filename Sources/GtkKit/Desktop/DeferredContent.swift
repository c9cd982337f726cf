import CGtk
import SerialQueue

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

  /// More programs at once are refused: one that asks and never reads is not to take memory without bound.
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
      // Why is said where the bytes come from.
      g_task_return_error(
        task, g_error_new_literal(g_io_error_quark(), gint(G_IO_ERROR_FAILED.rawValue), "-"))
    }
  }
}

@MainActor private let deferredContentType = SwiftType(
  name: "CopyPastaDeferredContent", parent: gdk_content_provider_get_type(),
  classSize: MemoryLayout<GdkContentProviderClass>.size, initClass: fillContentClass)

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
