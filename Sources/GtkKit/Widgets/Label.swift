import CGtk

/// A text that is read, not edited.
@MainActor
public final class Label: Widget {
  /// The opacity of what is only hinted at, of 65,535.
  private static let faintAlpha: guint16 = 0x6000
  private var hasFaintParts = false

  /// Makes a label of one line, whose text is at its start until told otherwise.
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
    // A drop-down gives the focus to the button within it, which has no name of its own.
    if control is DropDown { name(partsOf: control.widget) }
  }

  private func name(partsOf widget: UnsafeMutablePointer<GtkWidget>?) {
    var next = gtk_widget_get_first_child(widget)
    while let part = next {
      if gtk_widget_get_focusable(part) != 0 { copypasta_set_labelled_by(part, raw) }
      name(partsOf: part)
      next = gtk_widget_get_next_sibling(part)
    }
  }

  /// Shows the name of the widget that the label lies in, which the letter after `_` presses together with Alt.
  public func show(nameOf control: Widget, _ name: String) {
    gtk_label_set_text_with_mnemonic(opaque, name)
    gtk_label_set_mnemonic_widget(opaque, control.widget)
    // The relation would count more than the name, and screen readers pass over a label within what the label names.
    gtk_accessible_reset_relation(control.opaque, GTK_ACCESSIBLE_RELATION_LABELLED_BY)
    control.setAccessibleName(name.withoutMnemonic)
  }

  /// The text that is shown, without markup.
  public var text: String {
    get { String(cString: gtk_label_get_text(opaque)) }
    set { gtk_label_set_text(opaque, newValue) }
  }

  /// Shows lines that are parted by LINE SEPARATOR, of which some parts, in bytes of UTF-8, are only hinted at.
  ///
  /// All lines begin at the same edge, by the direction of the interface; each is ordered by its own.
  public func show(_ text: String, faintly parts: [Range<Int>] = []) {
    var (text, parts) = (text, parts)
    // Every text in a script from right to left has one of these bytes, and few other texts have.
    if isRightToLeft || text.utf8.contains(where: { (0xD6...0xE0).contains($0) || $0 >= 0xEF }) {
      (text, parts) = isolated(text, parts)
    }
    self.text = text
    guard !parts.isEmpty || hasFaintParts else { return }
    hasFaintParts = !parts.isEmpty
    setAttributes(faint: parts)
  }

  /// Gives the paragraph the direction of the interface, and each line its own: Pango aligns a paragraph by the first
  /// strong character, which is a mark here, and orders what is isolated by itself.
  private func isolated(_ text: String, _ parts: [Range<Int>]) -> (String, [Range<Int>]) {
    let lines = text.split(separator: "\u{2028}", omittingEmptySubsequences: false)
    let mark = isRightToLeft ? "\u{200F}" : "\u{200E}"
    let shown = mark + lines.map { "\u{2068}\($0)\u{2069}" }.joined(separator: "\u{2028}")
    // All of these characters have three bytes, as the separator has: so many come before the end of each line.
    var (ends, end) = ([Int](), 0)
    for line in lines {
      end += line.utf8.count + 3
      ends.append(end)
    }
    func shifted(_ offset: Int) -> Int {
      offset + 6 * (1 + (ends.firstIndex { offset < $0 } ?? ends.count - 1))
    }
    return (shown, parts.map { shifted($0.lowerBound)..<shifted($0.upperBound - 1) + 1 })
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

  /// Lets the user select the text, all of it, and copy it.
  public func allowSelection() { gtk_label_set_selectable(opaque, 1) }

  /// Centres the lines of the text.
  public func center() {
    gtk_label_set_xalign(opaque, 0.5)
    gtk_label_set_justify(opaque, GTK_JUSTIFY_CENTER)
  }

  /// The width that is asked for, in characters, if there is room; -1 for as long as the text is.
  public func limitWidth(toCharacters count: Int) { gtk_label_set_max_width_chars(opaque, gint(count)) }

  /// The width that is asked for, in characters, and in pixels at most.
  public func limitWidth(toCharacters count: Int, within pixels: Int) {
    let context = gtk_widget_get_pango_context(widget)
    let metrics = pango_context_get_metrics(context, nil, nil)
    defer { pango_font_metrics_unref(metrics) }
    // As GTK reckons characters.
    let size = max(
      pango_font_metrics_get_approximate_char_width(metrics),
      pango_font_metrics_get_approximate_digit_width(metrics))
    limitWidth(toCharacters: max(min(count, pixels * Int(PANGO_SCALE) / max(Int(size), 1)), 1))
  }

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
