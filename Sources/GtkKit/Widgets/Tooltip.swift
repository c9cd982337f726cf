import CGtk

extension ListView {
  /// Asks what to say beside the pointer that rests on a row, or on request at the row that has the keyboard; nil for
  /// nothing.
  ///
  /// No row is asked before that.
  public func onTooltip(_ body: @escaping @MainActor (Row) -> String?) {
    gtk_widget_set_has_tooltip(widget, 1)
    connectTooltip { [weak self] place, tooltip in
      guard let self, let row = place.map(row(at:)) ?? focusedRow, let text = body(row),
        let bounds = row.root.bounds(in: self)
      else { return false }
      // GTK's own label does not break a word, of which an address or a key is one.
      let label = Label(text)
      label.wrap()
      label.limitWidth(toCharacters: 70)
      gtk_tooltip_set_custom(tooltip, label.widget)
      // On another row it is asked for anew, and appears there.
      var area = GdkRectangle(
        x: gint(bounds.x), y: gint(bounds.y), width: gint(bounds.width), height: gint(bounds.height))
      gtk_tooltip_set_tip_area(tooltip, &area)
      return true
    }
  }
}

extension Object {
  /// Connects to a widget's `query-tooltip`: where the pointer is, nil where the keyboard asked, and the tooltip to
  /// fill; the answer says whether to show it.
  fileprivate func connectTooltip(_ body: @escaping @MainActor (Point?, OpaquePointer?) -> Bool) {
    typealias Body = @MainActor (Point?, OpaquePointer?) -> Bool
    let callback:
      @MainActor @convention(c) (gpointer?, gint, gint, gboolean, OpaquePointer?, gpointer?) -> gboolean = {
        _, x, y, isKeyboard, tooltip, data in
        let place = isKeyboard == 0 ? Point(x: Double(x), y: Double(y)) : nil
        return handler(data, Body.self)(place, tooltip) ? 1 : 0
      }
    attach("query-tooltip", body, unsafeBitCast(callback, to: GCallback.self))
  }
}
