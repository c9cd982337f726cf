import CGtk
import Synchronization

/// Observes whether a GObject was finalized, without retaining it.
///
/// The flag is atomic, because the callback is not isolated to the main actor. Do not observe an object that may be
/// finalized on another thread, such as a bus connection: `g_object_weak_ref` is not safe for such objects.
public final class Lifetime: Sendable {
  private let ended = Atomic(false)

  /// Whether the object was finalized.
  public var isOver: Bool { ended.load(ordering: .acquiring) }

  /// Starts to observe an object.
  @MainActor
  public init(of object: UnsafeMutableRawPointer) {
    let ended: GWeakNotify = { data, _ in
      let lifetime = Unmanaged<Lifetime>.fromOpaque(data.unsafelyUnwrapped).takeRetainedValue()
      lifetime.ended.store(true, ordering: .releasing)
    }
    g_object_weak_ref(
      object.assumingMemoryBound(to: GObject.self), ended, Unmanaged.passRetained(self).toOpaque())
  }

  /// Starts to observe a widget, its descendants and their surfaces, except for tooltips.
  ///
  /// GTK has one tooltip window, which is a child of the window that showed the last tooltip.
  @MainActor
  public static func ofAll(within widget: UnsafeMutableRawPointer) -> [Lifetime] {
    var lifetimes = [Lifetime(of: widget)]
    // A window of the X server or the compositor lives as long as its surface.
    if g_type_check_instance_is_a(widget.assumingMemoryBound(to: GTypeInstance.self), gtk_native_get_type())
      != 0,
      let surface = gtk_native_get_surface(OpaquePointer(widget))
    {
      lifetimes.append(Lifetime(of: UnsafeMutableRawPointer(surface)))
    }
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
