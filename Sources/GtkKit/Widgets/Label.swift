import CGtk

@MainActor
public final class Label: Widget {
  /// The opacity of faint parts, out of 65,535: the least that has enough contrast on a copied row.
  private static let faintAlpha: guint16 = 0xC000
  private var hasFaintParts = false

  /// Makes a label with its text aligned to the start.
  public convenience init(_ text: String = "") {
    self.init(new: gtk_label_new(text))
    gtk_label_set_xalign(opaque, 0)
  }

  /// Makes a label for an adjacent control; Alt and the character after `_` activate the control.
  public convenience init(_ text: String, of control: Widget) {
    self.init()
    gtk_label_set_text_with_mnemonic(opaque, text)
    gtk_label_set_mnemonic_widget(opaque, control.widget)
    control.setLabelledBy(self)
    // A drop-down passes the focus to its inner button and to the rows of its list, which have no accessible names.
    if control is DropDown { name(partsOf: control.widget) }
  }

  private func name(partsOf widget: UnsafeMutablePointer<GtkWidget>?) {
    var next = gtk_widget_get_first_child(widget)
    while let part = next {
      // Name only the popover's rows by their text: the button also contains a row, which shows the current choice.
      if String(cString: gtk_widget_get_css_name(part)) == "row",
        gtk_widget_get_ancestor(part, gtk_popover_get_type()) != nil,
        case let row = Widget(Owned(borrowing: part)), let text = row.firstLabel?.text, !text.isEmpty
      {
        row.setAccessibleName(text)
      } else {
        if gtk_widget_get_focusable(part) != 0 { copypasta_set_labelled_by(part, raw) }
        name(partsOf: part)
      }
      next = gtk_widget_get_next_sibling(part)
    }
  }

  /// Shows `name` and makes it the name of the enclosing `control`; Alt and the character after `_` activate the
  /// control.
  public func show(nameOf control: Widget, _ name: String) {
    gtk_label_set_text_with_mnemonic(opaque, name)
    gtk_label_set_mnemonic_widget(opaque, control.widget)
    // Set only a name: a label relation would override it, and screen readers ignore a label that is inside the widget
    // it names.
    gtk_accessible_reset_relation(control.opaque, GTK_ACCESSIBLE_RELATION_LABELLED_BY)
    control.setAccessibleName(name.withoutMnemonic)
  }

  /// The visible text, without markup.
  public var text: String {
    get { String(cString: gtk_label_get_text(opaque)) }
    set { gtk_label_set_text(opaque, newValue) }
  }

  /// Shows `text`, whose lines are paragraphs; `parts`, ranges of its UTF-8 bytes, are faint.
  ///
  /// All lines are aligned to the same edge, according to the direction of the text's first letter, or to that of the
  /// interface if the text has no letter. The characters of each line are ordered by the line's own direction.
  public func show(_ text: String, faintly parts: [Range<Int>] = []) {
    var (text, parts) = (text, parts)
    var startsFromRight = isRightToLeft
    // Every text in a right-to-left script contains one of these bytes, and few other texts do.
    if isRightToLeft || text.utf8.contains(where: { (0xD6...0xE0).contains($0) || $0 >= 0xEF }) {
      let letter = text.unicodeScalars.first(where: \.properties.isAlphabetic)
      startsFromRight = letter.map(Self.isFromRight) ?? isRightToLeft
      (text, parts) = isolated(text, parts, fromRight: startsFromRight)
    }
    self.text = text
    // GTK mirrors the alignment in a right-to-left interface.
    gtk_label_set_xalign(opaque, startsFromRight == isRightToLeft ? 0 : 1)
    guard !parts.isEmpty || hasFaintParts else { return }
    hasFaintParts = !parts.isEmpty
    setAttributes(faint: parts)
  }

  /// Adds direction marks: the first letter aligns the whole text, but each line has its own direction.
  ///
  /// Pango aligns a paragraph according to its first strong character, here a mark, and orders isolated text
  /// separately.
  private func isolated(
    _ text: String, _ parts: [Range<Int>], fromRight: Bool
  ) -> (String, [Range<Int>]) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let mark = fromRight ? "\u{200F}" : "\u{200E}"
    let shown = lines.map { "\(mark)\u{2068}\($0)\u{2069}" }.joined(separator: "\n")
    // Each of these marks has three bytes. `ends` are the offsets after the lines' separators.
    var (ends, end) = ([Int](), 0)
    for line in lines {
      end += line.utf8.count + 1
      ends.append(end)
    }
    func shifted(_ offset: Int) -> Int {
      offset + 6 + 9 * (ends.firstIndex { offset < $0 } ?? ends.count - 1)
    }
    return (shown, parts.map { shifted($0.lowerBound)..<shifted($0.upperBound - 1) + 1 })
  }

  private static func isFromRight(_ letter: Unicode.Scalar) -> Bool {
    switch letter.value {
    case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
    default: false
    }
  }

  /// Wraps each paragraph of the text to at most `lines` lines, if necessary within words, and ellipsizes the rest.
  public func wrap(lines: Int) {
    wrap()
    lineLimit = lines
    gtk_label_set_ellipsize(opaque, PANGO_ELLIPSIZE_END)
    // With character wrapping, GTK 4.24 computes a natural width below the ellipsis's width, and warns about it.
    gtk_label_set_natural_wrap_mode(opaque, GTK_NATURAL_WRAP_WORD)
  }

  /// The number of lines of each paragraph after which it is ellipsized.
  public var lineLimit: Int {
    get { Int(gtk_label_get_lines(opaque)) }
    set { gtk_label_set_lines(opaque, gint(newValue)) }
  }

  /// Wraps the text to as many lines as necessary; by default, words that are too long for a line are broken.
  public func wrap(withinWords: Bool = true) {
    gtk_label_set_wrap(opaque, 1)
    gtk_label_set_wrap_mode(opaque, withinWords ? PANGO_WRAP_WORD_CHAR : PANGO_WRAP_WORD)
    setAttributes()
  }

  /// Wraps the text if it has more than `count` characters; otherwise keeps it on one line, and requests its full
  /// width.
  ///
  /// GTK would wrap even a short text if the wrapped lines fit into the available height.
  public func wrapIfLonger(than count: Int) { gtk_label_set_wrap(opaque, text.count > count ? 1 : 0) }

  /// Requests the width of the whole text on one line.
  ///
  /// GTK would wrap even a text that fits on one line if the wrapped lines fit into the available height.
  public func preferOneLine() { gtk_label_set_natural_wrap_mode(opaque, GTK_NATURAL_WRAP_NONE) }

  public func alignEnd() { gtk_label_set_xalign(opaque, 1) }

  public func center() {
    gtk_label_set_xalign(opaque, 0.5)
    gtk_label_set_justify(opaque, GTK_JUSTIFY_CENTER)
  }

  /// Limits the natural width to `count` characters; -1 removes the limit.
  public func limitWidth(toCharacters count: Int) { gtk_label_set_max_width_chars(opaque, gint(count)) }

  private func setAttributes(faint parts: [Range<Int>] = []) {
    let attributes = pango_attr_list_new()
    // Disable hyphens at broken words, because they would look like part of the text.
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

extension Widget {
  fileprivate var firstLabel: Label? {
    var next = gtk_widget_get_first_child(widget)
    while let part = next {
      let child = Widget(Owned(borrowing: part))
      if copypasta_is_a(child.raw, gtk_label_get_type()) != 0 { return Label(Owned(borrowing: part)) }
      if let label = child.firstLabel { return label }
      next = gtk_widget_get_next_sibling(part)
    }
    return nil
  }
}

/// An icon from the icon theme.
@MainActor
public final class Image: Widget {
  /// Makes an image; `size` is in pixels, -1 for the theme's default.
  public convenience init(icon name: String, size: Int = -1) {
    self.init(new: gtk_image_new_from_icon_name(name))
    gtk_image_set_pixel_size(opaque, gint(size))
  }
}
