import CGtk

extension Bus {
  /// Calls when a program has the name and when none has it any more: once at first, then at each change.
  ///
  /// Nothing is started. `appeared` is given the program's own name on the bus, by which a new one can be told from
  /// the one before.
  public func watchName(
    _ name: String, appeared: @escaping @MainActor (_ owner: String) -> Void,
    vanished: @escaping @MainActor () -> Void
  ) -> BusRegistration {
    let came: @MainActor @convention(c) (gpointer?, gpointer?, UnsafePointer<CChar>?, gpointer?) -> Void = {
      _, _, owner, data in
      if let owner { NameHandlers.behind(data).came(String(cString: owner)) }
    }
    let went: @MainActor @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, _, data in
      NameHandlers.behind(data).went()
    }
    let id = g_bus_watch_name_on_connection(
      opaque, name, G_BUS_NAME_WATCHER_FLAGS_NONE, unsafeBitCast(came, to: GBusNameAppearedCallback.self),
      unsafeBitCast(went, to: GBusNameVanishedCallback.self),
      NameHandlers(came: appeared, went: vanished).retained,
      releaseCallback)
    return BusRegistration { g_bus_unwatch_name(id) }
  }

  /// Takes a name on the bus; where another program has it, waits until it is free.
  ///
  /// Nothing is waited for as it is given back. GLib's own way waits for the bus then, and warns where that ends meanwhile.
  public func ownName(_ name: String, acquired: @escaping @MainActor () -> Void = {}) -> BusRegistration {
    let bus = RemoteObject(
      name: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus")
    let acquisition = subscribe(to: "NameAcquired", of: bus) { arguments in
      if arguments[0]?.string == name { acquired() }
    }
    send(bus, "RequestName", [.string(name), .uint32(0)])
    return BusRegistration { [self] in
      withExtendedLifetime(acquisition) { send(bus, "ReleaseName", [.string(name)]) }
    }
  }
}

/// The closures behind a watched name.
@MainActor
private final class NameHandlers {
  let came: @MainActor (String) -> Void
  let went: @MainActor () -> Void

  init(came: @escaping @MainActor (String) -> Void, went: @escaping @MainActor () -> Void) {
    self.came = came
    self.went = went
  }

  var retained: gpointer { Unmanaged.passRetained(self).toOpaque() }

  static func behind(_ data: gpointer?) -> NameHandlers {
    Unmanaged.fromOpaque(data.unsafelyUnwrapped).takeUnretainedValue()
  }
}
