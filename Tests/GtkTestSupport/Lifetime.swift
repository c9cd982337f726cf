import CGtk
import Synchronization

/// Tells whether a GObject is gone, without keeping it.
///
/// A connection to a bus may end on GDBus's own thread.
public final class Lifetime: Sendable {
  private let ended = Atomic(false)

  /// Whether it is.
  public var isOver: Bool { ended.load(ordering: .acquiring) }

  /// Looks at a GObject from now on.
  @MainActor
  public init(of object: UnsafeMutableRawPointer) {
    let ended: GWeakNotify = { data, _ in
      let lifetime = Unmanaged<Lifetime>.fromOpaque(data.unsafelyUnwrapped).takeRetainedValue()
      lifetime.ended.store(true, ordering: .releasing)
    }
    g_object_weak_ref(
      object.assumingMemoryBound(to: GObject.self), ended, Unmanaged.passRetained(self).toOpaque())
  }

  /// Looks at a widget and at all that is within it from now on, but for tooltips: GTK has one window for all of them,
  /// which is part of the window that showed the last.
  @MainActor
  public static func ofAll(within widget: UnsafeMutableRawPointer) -> [Lifetime] {
    var lifetimes = [Lifetime(of: widget)]
    var child = gtk_widget_get_first_child(widget.assumingMemoryBound(to: GtkWidget.self))
    while let widget = child {
      let type = g_type_name_from_instance(
        UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GTypeInstance.self))
      if type.map({ String(cString: $0) }) != "GtkTooltipWindow" {
        lifetimes += ofAll(within: UnsafeMutableRawPointer(widget))
      }
      child = gtk_widget_get_next_sibling(widget)
    }
    return lifetimes
  }
}
