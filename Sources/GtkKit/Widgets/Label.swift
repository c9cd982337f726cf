import CGtk

/// A text that is read, not edited.
@MainActor
public final class Label: Widget {
  /// The opacity of what is only hinted at, of 65,535.
  private static let faintAlpha: guint16 = 0x6000
  private var hasFaintParts = false
  /// The most lines that it shows, if there is a limit.
  private var lineLimit: Int?
  private var hasParagraphs = false

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
  /// If they differ in direction, each line is aligned by its own, and is not wrapped if there is a limit.
  public func show(_ text: String, faintly parts: [Range<Int>] = []) {
    let differ = Self.linesDifferInDirection(text)
    // Pango limits the lines of a paragraph and gives it one direction. Both separators have as many bytes.
    self.text = differ ? String(text.map { $0 == "\u{2028}" ? "\u{2029}" : $0 }) : text
    if let lineLimit, differ != hasParagraphs {
      hasParagraphs = differ
      gtk_label_set_lines(opaque, differ ? 1 : gint(lineLimit))
    }
    guard !parts.isEmpty || hasFaintParts else { return }
    hasFaintParts = !parts.isEmpty
    setAttributes(faint: parts)
  }

  /// Whether a part of the text is cut off, as it is laid out at present.
  public var isCut: Bool { pango_layout_is_ellipsized(gtk_label_get_layout(opaque)) != 0 }

  /// Wraps the text to at most so many lines, broken within a word where it must be, and cut with an ellipsis.
  public func wrap(lines: Int) {
    wrap()
    lineLimit = lines
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

  /// The width that the label has at least, in characters.
  public func keepWidth(ofCharacters count: Int) { gtk_label_set_width_chars(opaque, gint(count)) }

  private static func linesDifferInDirection(_ text: String) -> Bool {
    // Every text in a script from right to left has one of these bytes, and few other texts have.
    guard text.utf8.contains(where: { (0xD6...0xE0).contains($0) || $0 >= 0xEF }) else { return false }
    let letters = text.split(separator: "\u{2028}").compactMap {
      $0.unicodeScalars.first(where: \.properties.isAlphabetic)
    }
    return Set(letters.map(isRightToLeft)).count > 1
  }

  /// Whether a letter is of a script that is written from right to left: from Hebrew to Arabic, and their kin.
  private static func isRightToLeft(_ letter: Unicode.Scalar) -> Bool {
    switch letter.value {
    case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFC, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
    default: false
    }
  }

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
