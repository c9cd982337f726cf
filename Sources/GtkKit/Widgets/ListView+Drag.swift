import CGtk

extension ListView {
  /// Lets rows be dragged out with the pointer.
  ///
  /// A finger scrolls the list instead.
  ///
  /// - Parameters:
  ///   - content: what a row is worth to other programs; nil where it cannot be dragged.
  ///   - icon: what follows the pointer.
  public func onRowDrag(
    content: @escaping @MainActor (Row) -> DeferredContent?, icon: @escaping @MainActor (Row) -> Widget
  ) {
    let source = Object(
      Owned(taking: UnsafeMutableRawPointer(gtk_drag_source_new().unsafelyUnwrapped)))
    let dragged = Dragged<Row>()
    // A pointer has no sequence; a finger's is left to scrolling and swiping.
    source.connectObject("begin") { [gesture = source.opaque] _ in
      gtk_gesture_set_state(gesture, GTK_EVENT_SEQUENCE_DENIED)
    }
    source.connectDragPrepare { [weak self] place in
      guard let row = self?.row(at: place), let content = content(row) else { return nil }
      dragged.row = row
      // GTK takes over a reference of its own.
      return g_object_ref(content.raw)
    }
    source.connectObject("drag-begin") { drag in
      guard let row = dragged.row else { return }
      let holder = gtk_drag_icon_get_for_drag(OpaquePointer(drag))
      let child = icon(row)
      gtk_drag_icon_set_child(OpaquePointer(holder), child.widget)
      dragged.row = nil
    }
    add(controller: source)
  }
}

/// The row whose drag is about to begin.
@MainActor
private final class Dragged<Row> {
  var row: Row?
}
