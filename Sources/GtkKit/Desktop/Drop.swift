import CGtk

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
    // GTK 4.8 keeps the drop on X11, and it goes on listening to what it came from: the next drag from there would
    // change its actions, of which GDK complains.
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
    let target = Object(
      Owned(taking: gtk_drop_target_async_new(contentFormats(of: types), copypasta_GDK_ACTION_COPY)))
    target.connectQuestion("accept") { [target = target.opaque] (drop: OpaquePointer) in
      isAccepted() && gdk_drop_get_drag(drop) == nil
        && gdk_content_formats_match(
          gdk_drop_get_formats(drop), gtk_drop_target_async_get_formats(target)) != 0
    }
    target.connectQuestion("drop") { (drop: OpaquePointer) -> Bool in
      body(Drop(Owned(borrowing: drop)))
      return true
    }
    add(controller: target)
  }
}
