import CGtk

/// A closure that a C function keeps as its user data, for functions that are not signals.
@MainActor
final class Callback<Result> {
  let body: @MainActor () -> Result

  init(_ body: @escaping @MainActor () -> Result) { self.body = body }

  /// A reference for C to hold, which `releaseCallback` gives back.
  var retained: gpointer { Unmanaged.passRetained(self).toOpaque() }

  /// The callback that user data stands for.
  static func behind(_ data: gpointer?) -> Callback {
    Unmanaged.fromOpaque(data.unsafelyUnwrapped).takeUnretainedValue()
  }
}

/// The destroy notification that goes with `Callback.retained`.
func releaseCallback(_ data: gpointer?) {
  guard let data else { return }
  Unmanaged<AnyObject>.fromOpaque(data).release()
}
