import CGtk

extension Widget {
  /// The name that a screen reader says for the widget.
  public final func setAccessibleName(_ name: String) {
    update(GTK_ACCESSIBLE_PROPERTY_LABEL, to: name)
  }

  /// What a screen reader says of the widget after its name.
  public final func setAccessibleDescription(_ description: String) {
    update(GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, to: description)
  }

  private func update(_ property: GtkAccessibleProperty, to text: String) {
    var value = GValue()
    gtk_accessible_property_init_value(property, &value)
    g_value_set_string(&value, text)
    var property = property
    gtk_accessible_update_property_value(opaque, 1, &property, &value)
    g_value_unset(&value)
  }
}
