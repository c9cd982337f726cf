import CGtk

/// A connection to a message bus, for use on the main actor.
///
/// ```swift
/// let bus = try await Bus.session()
/// let watcher = RemoteObject(name: "org.example.Clock", path: "/clock", interface: "org.example.Clock")
/// let answer = try await bus.call(watcher, "Format", [.int64(0), .string("UTC")])
/// let text = answer[0]?.string    // an answer is a tuple
/// ticks = bus.subscribe(to: "Tick", of: watcher) { arguments in print(arguments.type) }
/// ```
@MainActor
public final class Bus: Object {
  /// The session's bus: one connection for the whole process, made by GLib on a thread of its own, at the first call
  /// or by `SessionBus.connectAhead`.
  ///
  /// - Throws: `BusError.noBus` where there is none.
  public static func session() async throws(BusError) -> Bus {
    try await connect { cancellable, callback, data in
      g_bus_get(G_BUS_TYPE_SESSION, cancellable, callback, data)
    } finish: { result, error in
      g_bus_get_finish(result, error)
    }
  }

  /// A connection of its own to the bus at an address, in the language of the D-Bus specification.
  public static func at(address: String) async throws(BusError) -> Bus {
    let flags = GDBusConnectionFlags(
      G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
        | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue)
    return try await connect { cancellable, callback, data in
      g_dbus_connection_new_for_address(address, flags, nil, cancellable, callback, data)
    } finish: { result, error in
      g_dbus_connection_new_for_address_finish(result, error)
    }
  }

  private static func connect(
    start: (UnsafeMutablePointer<GCancellable>?, GAsyncReadyCallback?, gpointer?) -> Void,
    finish:
      @escaping @MainActor (
        OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?
      ) -> OpaquePointer?
  ) async throws(BusError) -> Bus {
    do {
      return try await awaitingResult(start: start) { result, error in
        finish(result, error).map { Bus(Owned(taking: UnsafeMutableRawPointer($0))) }
      }
    } catch { throw BusError(error, remoteName: nil) }
  }
}
