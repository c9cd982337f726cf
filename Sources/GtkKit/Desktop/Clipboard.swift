import CGtk

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
  @discardableResult
  public func onChange(_ body: @escaping @MainActor () -> Void) -> SignalConnection {
    connect("changed", body)
  }

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

  /// Returns when the desktop has answered: what it knew before the call is known here by then, and `onChange` was
  /// called for it.
  public func synchronise() { gdk_display_sync(gdk_clipboard_get_display(opaque)) }

  /// Offers the same bytes under each of these types.
  ///
  /// The bytes are copied once, however many programs paste them.
  public func offer(_ bytes: [UInt8], as mimeTypes: [String]) {
    // Not one of GDK's providers of bytes: those write to a program that does not read until it does.
    let bytes = Bytes(bytes)
    let content = DeferredContent(types: mimeTypes) { bytes }
    gdk_clipboard_set_content(opaque, content.cast())
  }

  /// Asks the owner for the first of these types that it offers.
  ///
  /// - Throws: `GLibError` if it refuses or offers none; `CancellationError` if the task is cancelled.
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
