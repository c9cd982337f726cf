import CGtk

/// The session's message bus.
@MainActor
public enum SessionBus {
  /// GLib shares one connection for as long as somebody holds it.
  private static let connection = g_bus_get_sync(G_BUS_TYPE_SESSION, nil, nil)

  /// Begins to connect, on a thread of GLib's, so that the first use of the bus waits less.
  public static func connectAhead() { g_bus_get(G_BUS_TYPE_SESSION, nil, nil, nil) }

  /// Whether there is a session bus.
  public static var isThere: Bool { connection != nil }

  /// Takes a name for this process.
  ///
  /// The bus decides, so that of two programs that start at the same moment exactly one gets it.
  /// - Returns: false if another program has it; true also if there is no bus, for then nobody else is to be found.
  public static func claim(_ name: String) -> Bool {
    let bus = RemoteObject(
      name: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus")
    let doNotQueue: UInt32 = 4
    let alreadyOwned: UInt32 = 3
    do throws(GLibError) {
      let answer = try call(
        bus, "RequestName", [.string(name), .uint32(doNotQueue)], within: .seconds(1))
      return answer[0]?.uint32 != alreadyOwned
    } catch {
      return true
    }
  }

  /// Calls a method of another program that runs already, and waits for its answer, a tuple.
  ///
  /// - Throws: what went wrong; `GLibError.isNoSuchName` if that program does not run.
  @discardableResult
  static func call(
    _ object: RemoteObject, _ method: String, _ arguments: [Variant], within limit: Duration
  ) throws(GLibError) -> Variant {
    guard let connection else { throw GLibError(taking: nil) }
    var error: UnsafeMutablePointer<GError>?
    let answer = Variant.tuple(arguments).withPointer { arguments in
      g_dbus_connection_call_sync(
        connection, object.name, object.path, object.interface, method, arguments, nil,
        copypasta_G_DBUS_CALL_FLAGS_NO_AUTO_START, gint(clamping: limit.milliseconds), nil, &error)
    }
    guard let answer else { throw GLibError(taking: error) }
    return Variant(taking: answer)
  }
}
