import CGtk

extension Widget {
  /// The name that a screen reader says for the widget.
  public final func setAccessibleName(_ name: String) { set(GTK_ACCESSIBLE_PROPERTY_LABEL, to: name) }

  /// What a screen reader says after the widget's name and role.
  public final func setAccessibleDescription(_ text: String) {
    set(GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, to: text)
  }

  /// Takes the name that a screen reader says from a label beside the widget.
  public final func setLabelledBy(_ label: Label) { copypasta_set_labelled_by(raw, label.raw) }

  private func set(_ property: GtkAccessibleProperty, to text: String) {
    var property = property
    var value = GValue()
    gtk_accessible_property_init_value(property, &value)
    g_value_set_string(&value, text)
    gtk_accessible_update_property_value(opaque, 1, &property, &value)
    g_value_unset(&value)
  }
}
