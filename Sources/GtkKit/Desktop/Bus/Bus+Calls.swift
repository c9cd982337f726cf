import CGtk

extension Bus {
  /// Calls a method and waits for its answer, a tuple.
  ///
  /// - Parameters:
  ///   - timeout: how long to wait; 25 s unless it is given.
  ///   - startsService: whether the bus may start the program, where it does not run.
  /// - Throws: `BusError`; also for an object that no message can be addressed to.
  @discardableResult
  public func call(
    _ object: RemoteObject, _ method: String, _ arguments: [Variant] = [], timeout: Duration? = nil,
    startsService: Bool = true
  ) async throws(BusError) -> Variant {
    guard object.isWellFormed, g_dbus_is_member_name(method) != 0 else {
      throw .invalidArguments("no such address")
    }
    var remoteName: String?
    do {
      return try await awaitingResult { cancellable, callback, data in
        Variant.tuple(arguments).withPointer { arguments in
          g_dbus_connection_call(
            opaque, object.name, object.path, object.interface, method, arguments, nil,
            Self.flags(startsService: startsService), gint(clamping: timeout?.milliseconds ?? -1),
            cancellable,
            callback, data)
        }
      } finish: { [opaque] result, error in
        if let answer = g_dbus_connection_call_finish(opaque, result, error) {
          return Variant(taking: answer)
        }
        remoteName = Self.takeRemoteName(outOf: error?.pointee)
        return nil
      }
    } catch { throw BusError(error, remoteName: remoteName) }
  }

  /// Calls a method whose answer nobody waits for, whether or not somebody takes the call.
  public func send(
    _ object: RemoteObject, _ method: String, _ arguments: [Variant] = [], startsService: Bool = true
  ) {
    guard object.isWellFormed, g_dbus_is_member_name(method) != 0 else { return }
    Variant.tuple(arguments).withPointer { arguments in
      g_dbus_connection_call(
        opaque, object.name, object.path, object.interface, method, arguments, nil,
        Self.flags(startsService: startsService), -1, nil, nil, nil)
    }
  }

  /// The D-Bus name of an error that came as an answer, which is taken out of its message.
  private static func takeRemoteName(outOf error: UnsafeMutablePointer<GError>?) -> String? {
    guard let error, let name = g_dbus_error_get_remote_error(error) else { return nil }
    defer { g_free(name) }
    g_dbus_error_strip_remote_error(error)
    return String(cString: name)
  }

  private static func flags(startsService: Bool) -> GDBusCallFlags {
    startsService ? G_DBUS_CALL_FLAGS_NONE : G_DBUS_CALL_FLAGS_NO_AUTO_START
  }
}
