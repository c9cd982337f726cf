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
  /// Returns the bytes of a range of characters.
  ///
  /// The buffer's closures may outlive the view, and must not retain this closure. They get it through a weak reference
  /// to the view.
  private var selectedBytes: (@MainActor (Range<Int>) -> [UInt8])?
  private var buffer: UnsafeMutablePointer<GtkTextBuffer>? { gtk_text_view_get_buffer(cast()) }

  /// The range of selected characters; nil if the selection is empty.
  public var selection: Range<Int>? {
    var (start, end) = (GtkTextIter(), GtkTextIter())
    guard gtk_text_buffer_get_selection_bounds(buffer, &start, &end) != 0 else { return nil }
    return Int(gtk_text_iter_get_offset(&start))..<Int(gtk_text_iter_get_offset(&end))
  }

  /// Provides `bytes` as the content of selections, in place of the displayed characters.
  ///
  /// A selection cannot be dragged, because GTK would provide the displayed characters.
  ///
  /// - Parameters:
  ///   - types: the types that the primary selection offers.
  ///   - bytes: returns the bytes of a range of characters.
  ///   - copy: called instead of GTK's own copying when the user copies or cuts.
  public func handOut(
    as types: [String], _ bytes: @escaping @MainActor (Range<Int>) -> [UInt8],
    copy: @escaping @MainActor ([UInt8]) -> Void
  ) {
    for signal in ["copy-clipboard", "cut-clipboard"] {
      connect(signal) { [weak self, opaque] in
        g_signal_stop_emission_by_name(UnsafeMutableRawPointer(opaque), signal)
        if let selection = self?.selection { copy(bytes(selection)) }
      }
    }
    selectedBytes = bytes
    replacePrimarySelection(as: types)
    neverDragSelection()
  }

  private func replacePrimarySelection(as types: [String]) {
    let primary = gtk_widget_get_primary_clipboard(widget)
    // The view's current content provider, used only for comparison.
    let offered = Shared<UnsafeMutablePointer<GdkContentProvider>?>(nil)
    let withdraw: @MainActor () -> Void = {
      if let content = offered.value, content == gdk_clipboard_get_content(primary) {
        gdk_clipboard_set_content(primary, nil)
      }
      offered.value = nil
    }
    // A realized view registers the clipboard with its buffer, and warns if the registration is missing when the view
    // is unrealized. Capture the buffer, because the Swift object may already be released.
    let buffer = self.buffer
    connect("realize") { gtk_text_buffer_remove_selection_clipboard(buffer, primary) }
    connect("unrealize") {
      withdraw()
      gtk_text_buffer_add_selection_clipboard(buffer, primary)
    }
    guard let buffer else { return }
    Object(Owned(borrowing: buffer)).connect("notify::has-selection") { [weak self] in
      guard let self, gtk_widget_get_realized(widget) != 0 else { return }
      withdraw()
      guard selection != nil else { return }
      let content = DeferredContent(types: types) { [weak self] in
        guard let self, let selection else { return Bytes([]) }
        return Bytes(selectedBytes?(selection) ?? [])
      }
      offered.value = content.cast()
      gdk_clipboard_set_content(primary, content.cast())
    }
  }

  /// Makes a press within the selection start a new selection instead of a drag.
  private func neverDragSelection() {
    let press = add(controller: gtk_gesture_click_new())
    gtk_gesture_single_set_button(press.opaque, guint(GDK_BUTTON_PRIMARY))
    gtk_event_controller_set_propagation_phase(press.opaque, GTK_PHASE_CAPTURE)
    press.connect("pressed") { [weak self] (count: gint, x: Double, y: Double) in
      guard let self, count == 1, let selection else { return }
      var (left, top): (gint, gint) = (0, 0)
      gtk_text_view_window_to_buffer_coords(
        cast(), GTK_TEXT_WINDOW_WIDGET, gint(x), gint(y), &left, &top)
      var place = GtkTextIter()
      gtk_text_view_get_iter_at_location(cast(), &place, left, top)
      if selection.contains(Int(gtk_text_iter_get_offset(&place))) {
        gtk_text_buffer_place_cursor(buffer, &place)
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
