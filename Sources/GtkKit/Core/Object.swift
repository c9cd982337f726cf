import CGtk

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

  // MARK: - Properties

  // Properties by their names, for those that not every version of a library has.

  /// Whether the object has a property of this name.
  final func hasProperty(_ name: String) -> Bool { property(name) != nil }

  /// The text of a property that is one.
  final func textProperty(_ name: String) -> String? {
    value(of: name) { g_value_get_string(&$0).map { String(cString: $0) } } ?? nil
  }

  /// The number of a property that is an enumeration.
  final func enumProperty(_ name: String) -> Int? { value(of: name) { Int(g_value_get_enum(&$0)) } }

  /// The truth value of a property that is one.
  final func flagProperty(_ name: String) -> Bool? { value(of: name) { g_value_get_boolean(&$0) != 0 } }

  /// Sets a property that is a text.
  final func setProperty(_ name: String, to text: String) { set(name) { g_value_set_string(&$0, text) } }

  /// Sets a property that is a truth value.
  final func setProperty(_ name: String, to flag: Bool) {
    set(name) { g_value_set_boolean(&$0, flag ? 1 : 0) }
  }

  /// Sets a property that is an enumeration.
  final func setProperty(_ name: String, toCase number: Int) {
    set(name) { g_value_set_enum(&$0, gint(number)) }
  }

  private func value<Result>(of name: String, _ read: (inout GValue) -> Result) -> Result? {
    guard var value = newValue(for: name) else { return nil }
    defer { g_value_unset(&value) }
    g_object_get_property(cast(), name, &value)
    return read(&value)
  }

  private func set(_ name: String, _ fill: (inout GValue) -> Void) {
    guard var value = newValue(for: name) else { return }
    defer { g_value_unset(&value) }
    fill(&value)
    g_object_set_property(cast(), name, &value)
  }

  private func newValue(for name: String) -> GValue? {
    guard let property = property(name) else { return nil }
    var value = GValue()
    g_value_init(&value, property.pointee.value_type)
    return value
  }

  private func property(_ name: String) -> UnsafeMutablePointer<GParamSpec>? {
    let instance = raw.assumingMemoryBound(to: GTypeInstance.self)
    let type = UnsafeMutableRawPointer(instance.pointee.g_class)?.assumingMemoryBound(to: GObjectClass.self)
    return g_object_class_find_property(type, name)
  }

  // MARK: - Signals

  /// A handler's connection to a signal, by which it can be ended early.
  ///
  /// A connection ends with its object.
  public struct SignalConnection: Sendable {
    let id: UInt
  }

  /// Connects to a signal; `body` takes the first of its arguments, or all, or none.
  ///
  /// The closure lives as long as the connection, which lives as long as the object: capture views weakly.
  @discardableResult
  final func connect<each Argument: SignalArgument>(
    _ signal: String, _ body: @escaping @MainActor (repeat each Argument) -> Void
  ) -> SignalConnection {
    attach(signal) { values, _ in
      var values = values
      body(repeat values.next() as each Argument)
    }
  }

  /// The same for a signal that asks, of which `body` returns the answer.
  @discardableResult
  final func connectQuestion<each Argument: SignalArgument, Answer: SignalAnswer>(
    _ signal: String, _ body: @escaping @MainActor (repeat each Argument) -> Answer
  ) -> SignalConnection {
    attach(signal) { values, answer in
      var values = values
      body(repeat values.next() as each Argument).write(to: answer)
    }
  }

  /// Connects to the next time that a signal is emitted.
  final func connectOnce(_ signal: String, _ body: @escaping @MainActor () -> Void) {
    let connection = Shared<SignalConnection?>(nil)
    // The closure keeps the object until the connection ends, which is at the first call.
    connection.value = connect(signal) {
      if let connection = connection.value { self.disconnect(connection) }
      body()
    }
  }

  /// Ends a connection; its closure is released.
  public final func disconnect(_ connection: SignalConnection) {
    g_signal_handler_disconnect(raw, gulong(connection.id))
  }

  /// GLib hands a handler the object, then the arguments, as values that last for the call.
  private typealias Handler = @MainActor (UnsafePointer<GValue>, UnsafeMutablePointer<GValue>?) -> Void

  private func attach(_ signal: String, _ handler: @escaping Handler) -> SignalConnection {
    typealias Marshal =
      @MainActor @convention(c) (
        UnsafeMutablePointer<GClosure>, UnsafeMutablePointer<GValue>?, guint, UnsafePointer<GValue>,
        gpointer?, gpointer?
      ) -> Void
    let marshal: Marshal = { closure, answer, _, values, _, _ in
      Closure<Handler>.behind(closure.pointee.data)(values, answer)
    }
    let data = Closure<Handler>.retained(handler)
    let closure = g_closure_new_simple(guint(MemoryLayout<GClosure>.size), data)
    g_closure_set_marshal(closure, unsafeBitCast(marshal, to: GClosureMarshal.self))
    g_closure_add_finalize_notifier(closure, data) { data, _ in releaseClosure(data) }
    return SignalConnection(id: UInt(g_signal_connect_closure(raw, signal, closure, 0)))
  }
}

/// A type of a signal's arguments; GLib complains if it is not the argument's.
protocol SignalArgument {
  init(_ value: UnsafePointer<GValue>)
}

extension gint: SignalArgument {
  init(_ value: UnsafePointer<GValue>) { self = g_value_get_int(value) }
}

extension guint: SignalArgument {
  init(_ value: UnsafePointer<GValue>) { self = g_value_get_uint(value) }
}

extension Double: SignalArgument {
  init(_ value: UnsafePointer<GValue>) { self = g_value_get_double(value) }
}

extension Bool: SignalArgument {
  init(_ value: UnsafePointer<GValue>) { self = g_value_get_boolean(value) != 0 }
}

extension String: SignalArgument {
  init(_ value: UnsafePointer<GValue>) { self = g_value_get_string(value).map { String(cString: $0) } ?? "" }
}

extension GdkModifierType: SignalArgument {
  init(_ value: UnsafePointer<GValue>) { self.init(rawValue: g_value_get_flags(value)) }
}

/// An object, an event or a variant, borrowed for the call.
extension OpaquePointer: SignalArgument {
  init(_ value: UnsafePointer<GValue>) {
    self.init(g_value_peek_pointer(value).unsafelyUnwrapped)
  }
}

/// The same where there may be none.
extension OpaquePointer?: SignalArgument {
  init(_ value: UnsafePointer<GValue>) { self = g_value_peek_pointer(value).map { OpaquePointer($0) } }
}

extension UnsafePointer<GValue> {
  /// Steps on to the next value: the first is the object.
  mutating func next<Argument: SignalArgument>() -> Argument {
    self += 1
    return Argument(self)
  }
}

/// A type of the answers that signals ask for.
protocol SignalAnswer {
  func write(to value: UnsafeMutablePointer<GValue>?)
}

extension Bool: SignalAnswer {
  func write(to value: UnsafeMutablePointer<GValue>?) { g_value_set_boolean(value, self ? 1 : 0) }
}

/// An object (transfer full), or none.
extension UnsafeMutableRawPointer?: SignalAnswer {
  func write(to value: UnsafeMutablePointer<GValue>?) { g_value_take_object(value, self) }
}
