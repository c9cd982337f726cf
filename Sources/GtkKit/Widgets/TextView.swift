import CGtk

/// A multi-line text that can be selected but not edited.
@MainActor
public final class TextView: Widget {
  /// Makes a view that wraps its text to the available width, with the cursor at the beginning.
  public convenience init(_ text: String) {
    self.init(new: gtk_text_view_new())
    gtk_text_view_set_editable(cast(), 0)
    gtk_text_view_set_wrap_mode(cast(), GTK_WRAP_WORD_CHAR)
    // Tab moves the focus instead.
    gtk_text_view_set_accepts_tab(cast(), 0)
    gtk_text_view_set_left_margin(cast(), Self.margin)
    gtk_text_view_set_right_margin(cast(), Self.margin)
    gtk_text_view_set_top_margin(cast(), 6)
    gtk_text_view_set_bottom_margin(cast(), 12)
    gtk_text_buffer_set_enable_undo(buffer, 0)
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        gtk_text_buffer_set_text(buffer, $0.baseAddress, gint($0.count))
      }
    }
    var (start, end) = (GtkTextIter(), GtkTextIter())
    gtk_text_buffer_get_bounds(buffer, &start, &end)
    gtk_text_buffer_place_cursor(buffer, &start)
    // Disable hyphens at broken words, because they would look like part of the text.
    let tag = Object(Owned(taking: gtk_text_tag_new(nil)))
    tag[property: "insert-hyphens"] = .flag(false)
    gtk_text_tag_table_add(gtk_text_buffer_get_tag_table(buffer), tag.cast())
    gtk_text_buffer_apply_tag(buffer, tag.cast(), &start, &end)
    disposeTextsOnceAlone(within: widget)
  }

  private static let margin: gint = 12
  private var buffer: UnsafeMutablePointer<GtkTextBuffer>? { gtk_text_view_get_buffer(cast()) }

  /// The range of selected characters; nil if the selection is empty.
  public var selection: Range<Int>? {
    var (start, end) = (GtkTextIter(), GtkTextIter())
    guard gtk_text_buffer_get_selection_bounds(buffer, &start, &end) != 0 else { return nil }
    return Int(gtk_text_iter_get_offset(&start))..<Int(gtk_text_iter_get_offset(&end))
  }

  /// Calls `body` with the range of selected characters, in place of GTK's own copying, when the user copies or cuts.
  public func onCopy(_ body: @escaping @MainActor (Range<Int>) -> Void) {
    for signal in ["copy-clipboard", "cut-clipboard"] {
      connect(signal) { [weak self, opaque] in
        g_signal_stop_emission_by_name(UnsafeMutableRawPointer(opaque), signal)
        if let selection = self?.selection { body(selection) }
      }
    }
  }

  /// Returns the height at which the view shows all of its text at the given width, at most `limit`.
  public func height(inWidth width: Int, atMost limit: Int) -> Int {
    var (start, end) = (GtkTextIter(), GtkTextIter())
    gtk_text_buffer_get_bounds(buffer, &start, &end)
    // 8192 characters are more than fit into any `limit`, but few enough for an additional layout.
    gtk_text_buffer_get_iter_at_offset(buffer, &end, 8192)
    let text = String(taking: gtk_text_buffer_get_text(buffer, &start, &end, 1))
    let layout = Object(Owned(taking: gtk_widget_create_pango_layout(widget, text)))
    pango_layout_set_width(layout.opaque, (gint(width) - 2 * Self.margin) * PANGO_SCALE)
    pango_layout_set_wrap(layout.opaque, PANGO_WRAP_WORD_CHAR)
    var height: gint = 0
    pango_layout_get_pixel_size(layout.opaque, nil, &height)
    return min(Int(height) + 18, limit)
  }
}
