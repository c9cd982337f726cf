import CGtk

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

  var gtk: GtkAccessibleRole {
    switch self {
    case .group: GTK_ACCESSIBLE_ROLE_GROUP
    case .presentation: GTK_ACCESSIBLE_ROLE_PRESENTATION
    case .heading: GTK_ACCESSIBLE_ROLE_HEADING
    case .status: GTK_ACCESSIBLE_ROLE_STATUS
    }
  }
}

extension Widget {
  /// The name that a screen reader says for the widget.
  public final func setAccessibleName(_ name: String) { set(GTK_ACCESSIBLE_PROPERTY_LABEL, to: name) }

  /// What a screen reader says after the widget's name and role.
  public final func setAccessibleDescription(_ text: String) {
    set(GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, to: text)
  }

  /// Takes the name that a screen reader says from a label beside the widget.
  public final func setLabelledBy(_ label: Label) { copypasta_set_labelled_by(raw, label.raw) }

  /// Has a screen reader say something at once; answers false if GTK is older than 4.14 and cannot.
  public final func announce(_ words: String) -> Bool {
    guard let announce = NewerGTK.accessibleAnnounce else { return false }
    announce(opaque, words, NewerGTK.mediumPriority)
    return true
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
