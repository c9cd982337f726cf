import CGtk

/// The session's message bus.
@MainActor
public enum SessionBus {
  private static var connection: OpaquePointer?

  /// Begins to connect, on a thread of GLib's: who needs the bus later waits the less.
  public static func connectAhead() { g_bus_get(G_BUS_TYPE_SESSION, nil, nil, nil) }

  /// Whether some program has a name on the bus; false where there is no bus.
  public static func hasOwner(_ name: String) -> Bool {
    // GLib shares one connection for as long as somebody holds it.
    if connection == nil { connection = g_bus_get_sync(G_BUS_TYPE_SESSION, nil, nil) }
    guard let connection else { return false }
    var argument = g_variant_new_string(name)
    guard
      let answer = g_dbus_connection_call_sync(
        connection, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameHasOwner",
        g_variant_new_tuple(&argument, 1), nil, G_DBUS_CALL_FLAGS_NONE, 1000, nil, nil)
    else { return false }
    defer { g_variant_unref(answer) }
    guard let value = g_variant_get_child_value(answer, 0) else { return false }
    defer { g_variant_unref(value) }
    return g_variant_get_boolean(value) != 0
  }
}
