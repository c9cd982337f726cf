import CGtk

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
