/// A value that is made when it is first asked for, and known not to have been made before.
@MainActor
final class Deferred<Value> {
  private let make: @MainActor () -> Value
  private(set) var made: Value?

  init(_ make: @escaping @MainActor () -> Value) { self.make = make }

  var value: Value {
    if let made { return made }
    let value = make()
    made = value
    return value
  }

  /// Lets the value go.
  func forget() { made = nil }
}
