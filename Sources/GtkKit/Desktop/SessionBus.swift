import CGtk

/// The session's message bus.
@MainActor
public enum SessionBus {
  /// GLib shares one connection for as long as somebody holds it.
  private static let connection = g_bus_get_sync(G_BUS_TYPE_SESSION, nil, nil)

  /// Begins to connect, on a thread of GLib's: who needs the bus later waits the less.
  public static func connectAhead() { g_bus_get(G_BUS_TYPE_SESSION, nil, nil, nil) }

  /// Whether there is a session bus.
  public static var isThere: Bool { connection != nil }

  /// Takes a name for this process; false where another one has it.
  ///
  /// The bus decides, so that of two programs that start at the same moment exactly one gets it. True also where
  /// there is no bus: then nobody else is to be found.
  public static func claim(_ name: String) -> Bool {
    guard let connection else { return true }
    let doNotQueue: UInt32 = 4
    let alreadyOwned: UInt32 = 3
    guard
      let answer = g_dbus_connection_call_sync(
        connection, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
        tuple(g_variant_new_string(name), g_variant_new_uint32(doNotQueue)), nil, G_DBUS_CALL_FLAGS_NONE,
        1000,
        nil, nil)
    else { return true }
    defer { g_variant_unref(answer) }
    return firstNumber(of: answer) != alreadyOwned
  }

  /// Calls a method of another program that runs already, and waits for its answer.
  ///
  /// - Parameter arguments: a floating tuple, which is consumed.
  /// - Throws: what went wrong; `GLibError.isNoSuchName` where that program does not run.
  static func call(
    _ name: String, path: String, interface: String, method: String, _ arguments: OpaquePointer?,
    within limit: Duration
  ) throws(GLibError) {
    var error: UnsafeMutablePointer<GError>?
    guard
      let answer = g_dbus_connection_call_sync(
        connection, name, path, interface, method, arguments, nil, G_DBUS_CALL_FLAGS_NO_AUTO_START,
        gint(clamping: limit.milliseconds), nil, &error)
    else { throw GLibError(taking: error) }
    g_variant_unref(answer)
  }

  /// A floating tuple of floating values.
  static func tuple(_ values: OpaquePointer?...) -> OpaquePointer? {
    var values = values
    return g_variant_new_tuple(&values, gsize(values.count))
  }

  private static func firstNumber(of answer: OpaquePointer) -> UInt32 {
    guard let value = g_variant_get_child_value(answer, 0) else { return 0 }
    defer { g_variant_unref(value) }
    return g_variant_get_uint32(value)
  }
}
