import CGtk

/// A view of something taller than the window.
@MainActor
public final class ScrolledWindow: Widget {
  /// Makes a view that scrolls up and down.
  ///
  /// A `ListView` has to be its direct child, or rows are not recycled.
  public convenience init(child: Widget) {
    self.init(new: gtk_scrolled_window_new())
    gtk_scrolled_window_set_policy(opaque, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
    gtk_scrolled_window_set_child(opaque, child.widget)
  }

  /// How far the view is scrolled down, in pixels.
  public var offset: Double {
    get { gtk_adjustment_get_value(adjustment) }
    set { gtk_adjustment_set_value(adjustment, newValue) }
  }

  private var adjustment: UnsafeMutablePointer<GtkAdjustment>? {
    gtk_scrolled_window_get_vadjustment(opaque)
  }
}
