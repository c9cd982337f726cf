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

/// User data that C code keeps to call back with: a closure, or several.
///
/// C holds the one reference, which it gives back by `releaseClosure`.
final class Closure<Body> {
  private let body: Body

  private init(_ body: Body) { self.body = body }

  /// User data for C to hold.
  static func retained(_ body: Body) -> gpointer { Unmanaged.passRetained(Closure(body)).toOpaque() }

  /// The closure behind user data; `Body` has to be the type that it was retained as.
  static func behind(_ data: gpointer?) -> Body {
    Unmanaged<Closure>.fromOpaque(data.unsafelyUnwrapped).takeUnretainedValue().body
  }

  /// The closure behind user data that C uses once, and does not give back; releases the user data.
  static func consume(_ data: gpointer?) -> Body {
    Unmanaged<Closure>.fromOpaque(data.unsafelyUnwrapped).takeRetainedValue().body
  }
}

/// A variable that closures share: those of the main actor may not capture one by themselves.
@MainActor
final class Shared<Value> {
  var value: Value

  init(_ value: Value) { self.value = value }
}

/// The destroy notification that goes with `Closure.retained`.
func releaseClosure(_ data: gpointer?) {
  guard let data else { return }
  Unmanaged<AnyObject>.fromOpaque(data).release()
}
