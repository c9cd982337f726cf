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
  public func ownName(
    _ name: String, acquired: @escaping @MainActor () -> Void = {}, lost: @escaping @MainActor () -> Void = {}
  ) -> BusRegistration {
    let came: @MainActor @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, _, data in
      NameHandlers.behind(data).came("")
    }
    let went: @MainActor @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, _, data in
      NameHandlers.behind(data).went()
    }
    let id = g_bus_own_name_on_connection(
      opaque, name, G_BUS_NAME_OWNER_FLAGS_NONE, unsafeBitCast(came, to: GBusNameAcquiredCallback.self),
      unsafeBitCast(went, to: GBusNameLostCallback.self),
      NameHandlers(came: { _ in acquired() }, went: lost).retained,
      releaseCallback)
    return BusRegistration { g_bus_unown_name(id) }
  }
}

/// The closures behind a watched or an owned name.
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
