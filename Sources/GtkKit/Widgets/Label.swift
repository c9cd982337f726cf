import CGtk

/// A text that is read, not edited.
@MainActor
public final class Label: Widget {
  /// Of 65,535.
  private static let faintAlpha: guint16 = 0x6000
  private var hasFaintParts = false

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

  /// Shows a text of which some parts, in bytes of UTF-8, are only hinted at.
  public func show(_ text: String, faintly parts: [Range<Int>]) {
    self.text = text
    guard !parts.isEmpty || hasFaintParts else { return }
    hasFaintParts = !parts.isEmpty
    setAttributes(faint: parts)
  }

  /// Whether a part of the text is cut off, as it is laid out at present.
  public var isCut: Bool { pango_layout_is_ellipsized(gtk_label_get_layout(opaque)) != 0 }

  /// Wraps the text to at most so many lines, broken within a word where it must be, and cut with an ellipsis.
  public func wrap(lines: Int) {
    wrap()
    gtk_label_set_lines(opaque, gint(lines))
    gtk_label_set_ellipsize(opaque, PANGO_ELLIPSIZE_END)
    // By characters, GTK 4.24 finds a natural width that is less than that of the ellipsis, and complains of it.
    gtk_label_set_natural_wrap_mode(opaque, GTK_NATURAL_WRAP_WORD)
  }

  /// Wraps the text to as many lines as it takes; unless told otherwise, a word that is too long for a line is broken.
  public func wrap(withinWords: Bool = true) {
    gtk_label_set_wrap(opaque, 1)
    gtk_label_set_wrap_mode(opaque, withinWords ? PANGO_WRAP_WORD_CHAR : PANGO_WRAP_WORD)
    setAttributes()
  }

  /// Where a text that is too long is cut.
  public enum Cut {
    /// In its middle, or at its end.
    case middle, end
  }

  /// Keeps to one line, cut with an ellipsis.
  public func ellipsize(_ cut: Cut = .end) {
    gtk_label_set_ellipsize(opaque, cut == .end ? PANGO_ELLIPSIZE_END : PANGO_ELLIPSIZE_MIDDLE)
  }

  /// Whether the user can select the text, all of it, and copy it.
  public var isSelectable: Bool {
    get { gtk_label_get_selectable(opaque) != 0 }
    set { gtk_label_set_selectable(opaque, newValue ? 1 : 0) }
  }

  /// Centres the lines of the text.
  public func center() {
    gtk_label_set_xalign(opaque, 0.5)
    gtk_label_set_justify(opaque, GTK_JUSTIFY_CENTER)
  }

  /// The width that is asked for, in characters, if there is room; -1 for as long as the text is.
  public func limitWidth(toCharacters count: Int) { gtk_label_set_max_width_chars(opaque, gint(count)) }

  /// The width that the label has at least, in characters.
  public func keepWidth(ofCharacters count: Int) { gtk_label_set_width_chars(opaque, gint(count)) }

  private func setAttributes(faint parts: [Range<Int>] = []) {
    let attributes = pango_attr_list_new()
    // A hyphen where a word is broken would look like a part of the text.
    pango_attr_list_insert(attributes, pango_attr_insert_hyphens_new(0))
    for part in parts {
      guard let attribute = pango_attr_foreground_alpha_new(Self.faintAlpha) else { continue }
      attribute.pointee.start_index = guint(part.lowerBound)
      attribute.pointee.end_index = guint(part.upperBound)
      pango_attr_list_insert(attributes, attribute)
    }
    gtk_label_set_attributes(opaque, attributes)
    pango_attr_list_unref(attributes)
  }
}

/// An icon of the theme.
@MainActor
public final class Image: Widget {
  /// Makes an image; `size` in pixels, or the theme's usual one.
  public convenience init(icon name: String, size: Int = -1) {
    self.init(new: gtk_image_new_from_icon_name(name))
    gtk_image_set_pixel_size(opaque, gint(size))
  }
}
