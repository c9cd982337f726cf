import CGtk

/// A strong reference to a GObject, given back when the last Swift reference goes.
///
/// The three initialisers are the whole policy on who owns what; the word is the one that GObject's own
/// documentation uses for the function which the pointer came from.
///
/// ```swift
/// let label = Owned(sinking: gtk_label_new("Hello"))             // a new widget: floating
/// let model = Owned(taking: gtk_widget_observe_children(box))    // (transfer full)
/// let window = Owned(borrowing: gtk_event_controller_get_widget(controller))  // (transfer none)
/// ```
@MainActor
public final class Owned {
  let raw: UnsafeMutableRawPointer

  /// Owns what a constructor of an initially floating type returned.
  init(sinking pointer: some InstancePointer) {
    raw = g_object_ref_sink(pointer.untyped)
  }

  /// Owns a reference that the caller was given (transfer full).
  init(taking pointer: some InstancePointer) {
    raw = pointer.untyped
  }

  /// Adds a reference to what someone else owns (transfer none).
  init(borrowing pointer: some InstancePointer) {
    raw = g_object_ref(pointer.untyped)
  }

  isolated deinit {
    g_object_unref(raw)
  }
}

/// A pointer to an instance, in whatever form Swift has imported it: typed if C shows its struct, opaque if not.
protocol InstancePointer {
  var untyped: UnsafeMutableRawPointer { get }
}

extension UnsafeMutableRawPointer: InstancePointer {
  var untyped: UnsafeMutableRawPointer { self }
}

extension UnsafeMutablePointer: InstancePointer {
  var untyped: UnsafeMutableRawPointer { UnsafeMutableRawPointer(self) }
}

extension OpaquePointer: InstancePointer {
  var untyped: UnsafeMutableRawPointer { UnsafeMutableRawPointer(self) }
}

/// The result of a constructor: GTK's return NULL for no argument that this module passes.
extension Optional: InstancePointer where Wrapped: InstancePointer {
  var untyped: UnsafeMutableRawPointer { unsafelyUnwrapped.untyped }
}
