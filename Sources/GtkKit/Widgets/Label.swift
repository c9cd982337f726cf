import CGtk

/// A text that is read, not edited.
@MainActor
public final class Label: Widget {
  /// Makes a label; it keeps to one line and to its start until told otherwise.
  public convenience init(_ text: String = "") {
    self.init(new: gtk_label_new(text))
    gtk_label_set_xalign(opaque, 0)
  }

  /// Makes a label of a widget beside it, which the letter after `_` presses together with Alt.
  public convenience init(_ text: String, of control: Widget) {
    self.init()
    gtk_label_set_text_with_mnemonic(opaque, text)
    gtk_label_set_mnemonic_widget(opaque, control.widget)
    control.setLabelledBy(self)
  }

  /// What is shown, without markup.
  public var text: String {
    get { String(cString: gtk_label_get_text(opaque)) }
    set { gtk_label_set_text(opaque, newValue) }
  }

  /// Wraps the text to at most so many lines, broken within a word where it must be, and cut with an ellipsis.
  public func wrap(lines: Int) {
    wrap()
    gtk_label_set_lines(opaque, gint(lines))
    gtk_label_set_ellipsize(opaque, PANGO_ELLIPSIZE_END)
  }

  /// Wraps the text to as many lines as it takes.
  public func wrap() {
    gtk_label_set_wrap(opaque, 1)
    gtk_label_set_wrap_mode(opaque, PANGO_WRAP_WORD_CHAR)
    // A hyphen where a word is broken would look like a part of the text.
    let attributes = pango_attr_list_new()
    pango_attr_list_insert(attributes, pango_attr_insert_hyphens_new(0))
    gtk_label_set_attributes(opaque, attributes)
    pango_attr_list_unref(attributes)
  }

  /// Keeps to one line, cut with an ellipsis.
  public func ellipsize() { gtk_label_set_ellipsize(opaque, PANGO_ELLIPSIZE_END) }

  /// Centres the lines of the text.
  public func center() {
    gtk_label_set_xalign(opaque, 0.5)
    gtk_label_set_justify(opaque, GTK_JUSTIFY_CENTER)
  }

  /// The width that is asked for, in characters, where there is room; -1 for as long as the text is.
  public func limitWidth(toCharacters count: Int) { gtk_label_set_max_width_chars(opaque, gint(count)) }
}
