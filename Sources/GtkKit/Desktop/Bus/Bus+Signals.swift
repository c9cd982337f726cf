import CGtk

extension Bus {
  /// Calls for each signal of this name that the object sends, with its arguments, a tuple.
  ///
  /// Only what the present owner of the object's name sends arrives. The arguments may be of any type: read them
  /// as one reads an answer.
  public func subscribe(
    to signal: String, of object: RemoteObject, _ body: @escaping @MainActor (Variant) -> Void
  ) -> BusRegistration {
    let arrived:
      @MainActor @convention(c) (
        gpointer?, gpointer?, gpointer?, gpointer?, gpointer?, OpaquePointer?, gpointer?
      ) -> Void = { _, _, _, _, _, arguments, data in
        guard let data, let arguments else { return }
        let subscriber = Unmanaged<Subscriber>.fromOpaque(data).takeUnretainedValue()
        subscriber.body(Variant(borrowing: arguments))
      }
    guard object.isWellFormed, g_dbus_is_member_name(signal) != 0 else { return BusRegistration {} }
    let id = g_dbus_connection_signal_subscribe(
      opaque, object.name, object.interface, signal, object.path, nil, G_DBUS_SIGNAL_FLAGS_NONE,
      unsafeBitCast(arrived, to: GDBusSignalCallback.self),
      Unmanaged.passRetained(Subscriber(body)).toOpaque(),
      releaseCallback)
    return BusRegistration { [owned] in
      g_dbus_connection_signal_unsubscribe(OpaquePointer(owned.raw), id)
    }
  }

  /// Sends a signal of an object of this program to all who subscribed to it.
  public func emit(_ signal: String, of interface: String, at path: String, _ arguments: [Variant] = []) {
    Variant.tuple(arguments).withPointer {
      _ = g_dbus_connection_emit_signal(opaque, nil, path, interface, signal, $0, nil)
    }
  }
}

/// The closure behind a subscription.
@MainActor
private final class Subscriber {
  let body: @MainActor (Variant) -> Void
  init(_ body: @escaping @MainActor (Variant) -> Void) { self.body = body }
}
