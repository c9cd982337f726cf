import CGtk

/// A button that shows an icon.
@MainActor
public final class Button: Widget {
  /// Makes a button; `name` is its tooltip and what a screen reader says.
  public convenience init(icon: String, name: String, _ clicked: @escaping @MainActor () -> Void) {
    self.init(new: gtk_button_new_from_icon_name(icon))
    tooltip = name
    setAccessibleName(name)
    connect("clicked", clicked)
  }

  /// The button without a frame.
  public func flat() -> Button {
    gtk_button_set_has_frame(cast(), 0)
    return self
  }
}
