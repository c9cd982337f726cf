import CGtk

extension Widget {
  /// A kind of thing, for a screen reader.
  public enum AccessibleRole: Sendable {
    /// Widgets that belong together and have a name in common.
    case group
    /// An ornament.
    case presentation
    /// A title.
    case heading
    /// Something that says how things are.
    case status
    /// A window.
    case window

    var gtk: GtkAccessibleRole {
      switch self {
      case .group: GTK_ACCESSIBLE_ROLE_GROUP
      case .presentation: GTK_ACCESSIBLE_ROLE_PRESENTATION
      case .heading: GTK_ACCESSIBLE_ROLE_HEADING
      case .status: GTK_ACCESSIBLE_ROLE_STATUS
      case .window: GTK_ACCESSIBLE_ROLE_WINDOW
      }
    }
  }

  /// The name that a screen reader says for the widget.
  public final func setAccessibleName(_ name: String) { set(GTK_ACCESSIBLE_PROPERTY_LABEL, to: name) }

  /// What a screen reader says after the widget's name and role.
  public final func setAccessibleDescription(_ text: String) {
    // GTK has no function that tells it, and an announcement gives it back.
    g_object_set_data_full(cast(), Self.descriptionKey, g_strdup(text), g_free)
    set(GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, to: text)
  }

  /// Takes the name that a screen reader says from a label beside the widget.
  public final func setLabelledBy(_ label: Label) { copypasta_set_labelled_by(raw, label.raw) }

  /// Makes a screen reader say something at once.
  ///
  /// GTK has a function for it from 4.14 on. Before, the words describe for some seconds what has the focus in the
  /// widget's window: screen readers tell of a change of that.
  public final func announce(_ words: String) {
    guard let root = gtk_widget_get_root(widget) else { return }
    if let announce = RuntimeSymbols.accessibleAnnounce {
      // The window says it: GTK drops in silence what is said by a widget that no reader has come by yet.
      announce(root, words, RuntimeSymbols.mediumPriority)
    } else if let focus = gtk_root_get_focus(root) {
      Widget(Owned(borrowing: focus)).describeForAMoment(by: words)
    }
  }

  /// Takes back an announcement that describes the widget, which shows something else now.
  public final func endAnnouncement() {
    guard g_object_get_data(cast(), Self.announcementKey) != nil else { return }
    g_object_set_data(cast(), Self.announcementKey, nil)
    let description = g_object_get_data(cast(), Self.descriptionKey)?.assumingMemoryBound(to: CChar.self)
    set(GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, to: description.map { String(cString: $0) } ?? "")
  }

  private static var descriptionKey: String { "copypasta-description" }
  private static var announcementKey: String { "copypasta-announcement" }

  private func describeForAMoment(by words: String) {
    // The same words once more are no change.
    endAnnouncement()
    set(GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, to: words)
    g_object_set_data(cast(), Self.announcementKey, raw)
    // The timer holds itself, and with it the widget, until it fires.
    let timer = Shared<Timeout?>(nil)
    timer.value = Timeout(after: .seconds(3)) {
      self.endAnnouncement()
      timer.value = nil
    }
  }

  /// What kind of thing the widget is for a screen reader; to be said before it is shown.
  public final func setAccessibleRole(_ role: AccessibleRole) {
    var value = GValue()
    g_value_init(&value, gtk_accessible_role_get_type())
    g_value_set_enum(&value, gint(role.gtk.rawValue))
    g_object_set_property(cast(), "accessible-role", &value)
    g_value_unset(&value)
  }

  private func set(_ property: GtkAccessibleProperty, to text: String) {
    var property = property
    var value = GValue()
    gtk_accessible_property_init_value(property, &value)
    g_value_set_string(&value, text)
    gtk_accessible_update_property_value(opaque, 1, &property, &value)
    g_value_unset(&value)
  }
}
