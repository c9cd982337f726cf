import CGtk

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

  /// The same for user data that C uses once, and does not give back.
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
