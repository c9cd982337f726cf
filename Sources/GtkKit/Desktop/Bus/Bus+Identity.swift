import CGtk

extension Bus {
  /// A connection of its own to the session's bus.
  ///
  /// For what goes by the connection, such as which program a portal takes it for.
  /// - Throws: `BusError.noBus` where there is none.
  public static func ownSession() async throws(BusError) -> Bus {
    var error: UnsafeMutablePointer<GError>?
    guard let address = g_dbus_address_get_for_bus_sync(G_BUS_TYPE_SESSION, nil, &error) else {
      throw BusError(GLibError(taking: error), remoteName: nil)
    }
    defer { g_free(address) }
    return try await at(address: String(cString: address))
  }

  /// The name that the bus has given to this connection, such as `:1.42`; empty where there is no bus behind it.
  public var uniqueName: String {
    g_dbus_connection_get_unique_name(opaque).map { String(cString: $0) } ?? ""
  }
}
