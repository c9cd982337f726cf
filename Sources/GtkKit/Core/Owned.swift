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
  init(sinking pointer: UnsafeMutableRawPointer) {
    raw = g_object_ref_sink(pointer)
  }

  /// Owns a reference that the caller was given (transfer full).
  init(taking pointer: UnsafeMutableRawPointer) {
    raw = pointer
  }

  /// Adds a reference to what someone else owns (transfer none).
  init(borrowing pointer: UnsafeMutableRawPointer) {
    raw = g_object_ref(pointer)
  }

  isolated deinit {
    g_object_unref(raw)
  }
}

/// A Swift view of a GObject; the root of GtkKit's classes.
@MainActor
open class Object {
  let owned: Owned

  init(_ owned: Owned) {
    self.owned = owned
  }

  /// The instance as an untyped pointer.
  final var raw: UnsafeMutableRawPointer { owned.raw }

  /// The instance as a pointer to a type whose fields C does not show.
  final var opaque: OpaquePointer { OpaquePointer(owned.raw) }

  /// The instance as a pointer to a type whose struct C shows.
  final func cast<Instance>(to type: Instance.Type = Instance.self) -> UnsafeMutablePointer<Instance> {
    owned.raw.assumingMemoryBound(to: type)
  }
}
