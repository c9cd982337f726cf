import CGtk

extension Window {
  /// What is said about a program.
  public struct About {
    /// What the window is called.
    public var title: String
    /// The program's name.
    public var name: String
    /// Its version.
    public var version: String
    /// What it does, in one sentence.
    public var summary: String
    /// Who has the copyright.
    public var copyright: String
    /// Who translated it, one in a line.
    public var translators: String?
    /// The name of its icon, shown where the icon is installed.
    public var icon: String

    /// Says all of it.
    public init(
      title: String, name: String, version: String, summary: String, copyright: String,
      translators: String?, icon: String
    ) {
      self.title = title
      self.name = name
      self.version = version
      self.summary = summary
      self.copyright = copyright
      self.translators = translators
      self.icon = icon
    }
  }

  /// Makes a window that says what a program is, under the MIT licence.
  public convenience init(about: About) {
    self.init(new: gtk_about_dialog_new())
    gtk_window_set_title(cast(), about.title)
    gtk_about_dialog_set_program_name(opaque, about.name)
    gtk_about_dialog_set_version(opaque, about.version)
    gtk_about_dialog_set_comments(opaque, about.summary)
    gtk_about_dialog_set_copyright(opaque, about.copyright)
    gtk_about_dialog_set_translator_credits(opaque, about.translators)
    gtk_about_dialog_set_license_type(opaque, GTK_LICENSE_MIT_X11)
    if IconTheme.has(about.icon) { gtk_about_dialog_set_logo_icon_name(opaque, about.icon) }
  }

  /// Changes what a window about a program says below its name; for no other window.
  public func setComments(_ text: String) {
    gtk_about_dialog_set_comments(opaque, text)
  }

  /// A group of keys with what they do.
  public struct ShortcutGroup {
    /// What the keys have in common.
    public var title: String
    /// What is done, and the keys that do it, as GTK writes accelerators: `["Return", "<Control>c"]`.
    public var shortcuts: [(title: String, keys: [String])]

    /// Makes a group.
    public init(title: String, shortcuts: [(title: String, keys: [String])]) {
      self.title = title
      self.shortcuts = shortcuts
    }
  }

  /// Makes a window that shows the keys of a program.
  ///
  /// GTK 4.8 has no functions that fill it: it is made from a description in XML.
  public convenience init(title: String, shortcuts groups: [ShortcutGroup]) {
    let builder = gtk_builder_new_from_string(Self.description(of: groups), -1)
    // The builder lets go of the window; GTK keeps it until it is destroyed.
    self.init(
      Owned(borrowing: UnsafeMutableRawPointer(gtk_builder_get_object(builder, "window").unsafelyUnwrapped)))
    g_object_unref(UnsafeMutableRawPointer(builder))
    gtk_window_set_title(cast(), title)
  }

  private static func description(of groups: [ShortcutGroup]) -> String {
    let content = groups.map { group in
      let rows = group.shortcuts.map { shortcut in
        """
        <child><object class="GtkShortcutsShortcut">
        <property name="title">\(escaped(shortcut.title))</property>
        <property name="accelerator">\(escaped(shortcut.keys.joined(separator: " ")))</property>
        </object></child>
        """
      }
      return """
        <child><object class="GtkShortcutsGroup"><property name="title">\(escaped(group.title))</property>
        \(rows.joined())</object></child>
        """
    }
    return """
      <interface><object class="GtkShortcutsWindow" id="window"><child>
      <object class="GtkShortcutsSection"><property name="section-name">all</property>
      \(content.joined())</object></child></object></interface>
      """
  }

  private static func escaped(_ text: String) -> String {
    let escaped = g_markup_escape_text(text, -1)
    defer { g_free(escaped) }
    return escaped.map { String(cString: $0) } ?? ""
  }
}
