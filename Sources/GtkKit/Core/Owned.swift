import CGtk

/// A strong reference to a GObject, released with this Swift object.
///
/// The three initialisers cover every case of ownership; choose by the annotation in the documentation of the C
/// function.
///
/// ```swift
/// let label = Owned(sinking: gtk_label_new("Hello"))             // a new widget: floating
/// let model = Owned(taking: gtk_widget_observe_children(box))    // (transfer full)
/// let window = Owned(borrowing: gtk_event_controller_get_widget(controller))  // (transfer none)
/// ```
@MainActor
public final class Owned {
  let raw: UnsafeMutableRawPointer

  /// Takes ownership of a floating reference, as returned by widget constructors.
  init(sinking pointer: some InstancePointer) {
    raw = g_object_ref_sink(pointer.untyped)
  }

  /// Takes ownership of a reference that the caller received (transfer full).
  init(taking pointer: some InstancePointer) {
    raw = pointer.untyped
  }

  /// Adds a reference to an object that another owner keeps (transfer none).
  init(borrowing pointer: some InstancePointer) {
    raw = g_object_ref(pointer.untyped)
  }

  isolated deinit {
    g_object_unref(raw)
  }
}

/// A pointer to a GObject instance, as Swift imports it: typed if the C headers define the struct, otherwise opaque.
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

/// The result of a C function, which is never NULL in the calls that this module makes.
extension Optional: InstancePointer where Wrapped: InstancePointer {
  var untyped: UnsafeMutableRawPointer { unsafelyUnwrapped.untyped }
}

/// User data for C callbacks: a closure, a tuple of closures, or an object.
///
/// C holds the only reference, and releases it with `releaseClosure`.
final class Closure<Body> {
  private let body: Body

  private init(_ body: Body) { self.body = body }

  /// Returns user data for C, which takes over the reference.
  static func retained(_ body: Body) -> gpointer { Unmanaged.passRetained(Closure(body)).toOpaque() }

  /// Returns the closure in user data; `Body` must be the type with which it was retained.
  static func behind(_ data: gpointer?) -> Body {
    Unmanaged<Closure>.fromOpaque(data.unsafelyUnwrapped).takeUnretainedValue().body
  }

  /// Releases the user data and returns its closure.
  ///
  /// Use it for user data that C uses once and does not release.
  static func consume(_ data: gpointer?) -> Body {
    Unmanaged<Closure>.fromOpaque(data.unsafelyUnwrapped).takeRetainedValue().body
  }
}

/// A variable that several closures share, because main-actor closures may not capture a mutable variable.
@MainActor
final class Shared<Value> {
  var value: Value

  init(_ value: Value) { self.value = value }
}

/// The destroy notify function for `Closure.retained`.
func releaseClosure(_ data: gpointer?) {
  guard let data else { return }
  Unmanaged<AnyObject>.fromOpaque(data).release()
}
