import CGtk

extension Widget {
  /// The name that a screen reader says for the widget.
  public final func setAccessibleName(_ name: String) {
    var property = GTK_ACCESSIBLE_PROPERTY_LABEL
    var value = GValue()
    gtk_accessible_property_init_value(property, &value)
    g_value_set_string(&value, name)
    gtk_accessible_update_property_value(opaque, 1, &property, &value)
    g_value_unset(&value)
  }
}
