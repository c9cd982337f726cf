import CGtk

/// A text of many lines that is read and selected, not edited.
@MainActor
public final class TextView: Widget {
  /// Makes a view that wraps its text to the width that there is, with the cursor at its beginning.
  public convenience init(_ text: String) {
    self.init(new: gtk_text_view_new())
    gtk_text_view_set_editable(cast(), 0)
    gtk_text_view_set_wrap_mode(cast(), GTK_WRAP_WORD_CHAR)
    // Tab leads on to what is beside it.
    gtk_text_view_set_accepts_tab(cast(), 0)
    gtk_text_view_set_left_margin(cast(), 12)
    gtk_text_view_set_right_margin(cast(), 12)
    gtk_text_view_set_top_margin(cast(), 6)
    gtk_text_view_set_bottom_margin(cast(), 12)
    let buffer = gtk_text_view_get_buffer(cast())
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
    // A hyphen where a word is broken would look like a part of the text.
    let tag = Object(Owned(taking: gtk_text_tag_new(nil)))
    tag.setProperty("insert-hyphens", to: false)
    gtk_text_tag_table_add(gtk_text_buffer_get_tag_table(buffer), tag.cast())
    gtk_text_buffer_apply_tag(buffer, tag.cast(), &start, &end)
  }

  /// Whether all characters are as wide as each other.
  public var isMonospace: Bool {
    get { gtk_text_view_get_monospace(cast()) != 0 }
    set { gtk_text_view_set_monospace(cast(), newValue ? 1 : 0) }
  }

  /// Calls `body` with the text that is selected when the user copies or cuts it, in the place of GTK's clipboard.
  public func onCopy(_ body: @escaping @MainActor (String) -> Void) {
    for signal in ["copy-clipboard", "cut-clipboard"] {
      connect(signal) { [opaque] in
        let view = Object(Owned(borrowing: opaque))
        g_signal_stop_emission_by_name(view.raw, signal)
        let buffer = gtk_text_view_get_buffer(view.cast())
        var (start, end) = (GtkTextIter(), GtkTextIter())
        guard gtk_text_buffer_get_selection_bounds(buffer, &start, &end) != 0 else { return }
        body(String(taking: gtk_text_buffer_get_text(buffer, &start, &end, 1)))
      }
    }
  }
}
