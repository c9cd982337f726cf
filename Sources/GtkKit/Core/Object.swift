import CGtk

/// A Swift wrapper for a GObject; the base class of GtkKit's classes.
@MainActor
open class Object {
  let owned: Owned

  init(_ owned: Owned) {
    self.owned = owned
  }

  final var raw: UnsafeMutableRawPointer { owned.raw }

  /// The instance as a pointer to a type that is opaque in C.
  final var opaque: OpaquePointer { OpaquePointer(owned.raw) }

  /// The instance as a pointer to a type whose struct is public in C.
  final func cast<Instance>(to type: Instance.Type = Instance.self) -> UnsafeMutablePointer<Instance> {
    owned.raw.assumingMemoryBound(to: type)
  }

  // MARK: - Properties

  enum Property: Equatable {
    case flag(Bool), text(String), number(Int)
  }

  /// Accesses a Boolean, string or enum property by name, for properties that only some versions of a library have.
  ///
  /// A missing property reads as nil, and setting it has no effect.
  final subscript(property name: String) -> Property? {
    get {
      guard var value = emptyValue(for: name) else { return nil }
      defer { g_value_unset(&value) }
      g_object_get_property(cast(), name, &value)
      return switch g_type_fundamental(value.g_type) {
      case copypasta_G_TYPE_BOOLEAN: .flag(g_value_get_boolean(&value) != 0)
      case copypasta_G_TYPE_ENUM: .number(Int(g_value_get_enum(&value)))
      default: .text(g_value_get_string(&value).map { String(cString: $0) } ?? "")
      }
    }
    set {
      guard let newValue, var value = emptyValue(for: name) else { return }
      defer { g_value_unset(&value) }
      switch newValue {
      case .flag(let flag): g_value_set_boolean(&value, flag ? 1 : 0)
      case .text(let text): g_value_set_string(&value, text)
      case .number(let number): g_value_set_enum(&value, gint(number))
      }
      g_object_set_property(cast(), name, &value)
    }
  }

  private func emptyValue(for name: String) -> GValue? {
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

  /// Connects to a signal; `body` may take fewer arguments than the signal has.
  ///
  /// The connection retains the closure for the object's lifetime, so capture views weakly.
  ///
  /// - Returns: the id of the connection, for `disconnect`.
  @discardableResult
  final func connect<each Argument: SignalArgument>(
    _ signal: String, _ body: @escaping @MainActor (repeat each Argument) -> Void
  ) -> gulong {
    attach(signal) { _, values, _ in
      var values = values
      body(repeat values.next() as each Argument)
    }
  }

  @discardableResult
  final func connectReturning<each Argument: SignalArgument, Answer: SignalAnswer>(
    _ signal: String, _ body: @escaping @MainActor (repeat each Argument) -> Answer
  ) -> gulong {
    attach(signal) { _, values, answer in
      var values = values
      body(repeat values.next() as each Argument).write(to: answer)
    }
  }

  final func connectOnce(_ signal: String, _ body: @escaping @MainActor () -> Void) {
    attach(signal) { closure, values, _ in
      g_signal_handlers_disconnect_matched(
        g_value_peek_pointer(values), copypasta_G_SIGNAL_MATCH_CLOSURE, 0, 0, closure, nil, nil)
      body()
    }
  }

  /// Disconnects a handler, if it is still connected, and releases its closure.
  ///
  /// The handler may be disconnected already, because disposing an object disconnects its handlers; for example, GDK
  /// disposes a frame clock together with its surface.
  final func disconnect(_ connection: gulong) {
    guard g_signal_handler_is_connected(raw, connection) != 0 else { return }
    g_signal_handler_disconnect(raw, connection)
  }

  /// A signal handler; it receives its closure, the object followed by the arguments, and the place for its result.
  ///
  /// The pointers are valid during the call.
  private typealias Handler =
    @MainActor (UnsafeMutablePointer<GClosure>, UnsafePointer<GValue>, UnsafeMutablePointer<GValue>?) -> Void

  @discardableResult
  private func attach(_ signal: String, _ handler: @escaping Handler) -> gulong {
    typealias Marshal =
      @MainActor @convention(c) (
        UnsafeMutablePointer<GClosure>, UnsafeMutablePointer<GValue>?, guint, UnsafePointer<GValue>,
        gpointer?, gpointer?
      ) -> Void
    let marshal: Marshal = { closure, answer, _, values, _, _ in
      Closure<Handler>.behind(closure.pointee.data)(closure, values, answer)
    }
    let data = Closure<Handler>.retained(handler)
    let closure = g_closure_new_simple(guint(MemoryLayout<GClosure>.size), data)
    g_closure_set_marshal(closure, unsafeBitCast(marshal, to: GClosureMarshal.self))
    g_closure_add_finalize_notifier(closure, data) { data, _ in releaseClosure(data) }
    return g_signal_connect_closure(raw, signal, closure, 0)
  }
}

/// A type for signal arguments; GLib prints a critical warning if the signal's argument has a different type.
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

/// An object, event or variant, borrowed for the call.
extension OpaquePointer: SignalArgument {
  init(_ value: UnsafePointer<GValue>) {
    self.init(g_value_peek_pointer(value).unsafelyUnwrapped)
  }
}

/// An object, event or variant that may be NULL, borrowed for the call.
extension OpaquePointer?: SignalArgument {
  init(_ value: UnsafePointer<GValue>) { self = g_value_peek_pointer(value).map { OpaquePointer($0) } }
}

extension UnsafePointer<GValue> {
  /// Advances to the next value and returns it; the values start with the object, which is skipped.
  mutating func next<Argument: SignalArgument>() -> Argument {
    self += 1
    return Argument(self)
  }
}

protocol SignalAnswer {
  func write(to value: UnsafeMutablePointer<GValue>?)
}

extension Bool: SignalAnswer {
  func write(to value: UnsafeMutablePointer<GValue>?) { g_value_set_boolean(value, self ? 1 : 0) }
}

/// An object (transfer full), or NULL.
extension UnsafeMutableRawPointer?: SignalAnswer {
  func write(to value: UnsafeMutablePointer<GValue>?) { g_value_take_object(value, self) }
}
