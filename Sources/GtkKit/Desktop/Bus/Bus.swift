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
  /// The registration of a subscription, name watch, exported object or bus name; it ends when it is released.
  @MainActor
  public final class Registration {
    private var end: (@MainActor () -> Void)?

    init(end: @escaping @MainActor () -> Void) { self.end = end }

    isolated deinit {
      end?()
    }
  }

  /// Returns the process's shared connection to the session bus.
  ///
  /// GLib connects on a separate thread, at the first call or when `SessionBus.connectAhead` is called.
  ///
  /// - Throws: `BusError.noBus` if no session bus is available.
  public static func session() async throws(BusError) -> Bus {
    try await connect { cancellable, callback, data in
      g_bus_get(G_BUS_TYPE_SESSION, cancellable, callback, data)
    } finish: { result, error in
      g_bus_get_finish(result, error)
    }
  }

  /// Opens a private connection to the bus at a D-Bus address.
  public static func at(address: String) async throws(BusError) -> Bus {
    let flags = GDBusConnectionFlags(
      rawValue: copypasta_G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
        | copypasta_G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue)
    return try await connect { cancellable, callback, data in
      g_dbus_connection_new_for_address(address, flags, nil, cancellable, callback, data)
    } finish: { result, error in
      g_dbus_connection_new_for_address_finish(result, error)
    }
  }

  /// Opens a private connection to the session bus.
  ///
  /// Use it if other programs identify the caller by its connection, as portals do.
  ///
  /// - Throws: `BusError.noBus` if no session bus is available.
  public static func ownSession() async throws(BusError) -> Bus {
    var error: UnsafeMutablePointer<GError>?
    guard let address = g_dbus_address_get_for_bus_sync(G_BUS_TYPE_SESSION, nil, &error) else {
      throw BusError(GLibError(taking: error))
    }
    return try await at(address: String(taking: address))
  }

  /// The unique name of this connection, such as `:1.42`; empty if it is not a connection to a message bus.
  public var uniqueName: String {
    g_dbus_connection_get_unique_name(opaque).map { String(cString: $0) } ?? ""
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
        finish(result, error).map { Bus(Owned(taking: $0)) }
      }
    } catch { throw BusError(error) }
  }

  // MARK: - Calls

  /// Calls a method and returns its result, a tuple.
  ///
  /// - Parameters:
  ///   - timeout: how long to wait; 25 s by default.
  ///   - startsService: whether the bus may start the program if it is not running.
  /// - Throws: `BusError`; `invalidArguments` if `object` or `method` is malformed.
  @discardableResult
  public func call(
    _ object: RemoteObject, _ method: String, _ arguments: [Variant] = [], timeout: Duration? = nil,
    startsService: Bool = true
  ) async throws(BusError) -> Variant {
    guard object.isWellFormed, g_dbus_is_member_name(method) != 0 else {
      throw .invalidArguments("no such address")
    }
    do {
      return try await awaitingResult { cancellable, callback, data in
        Variant.tuple(arguments).withPointer { arguments in
          g_dbus_connection_call(
            opaque, object.name, object.path, object.interface, method, arguments, nil,
            startsService ? copypasta_G_DBUS_CALL_FLAGS_NONE : copypasta_G_DBUS_CALL_FLAGS_NO_AUTO_START,
            gint(clamping: timeout?.milliseconds ?? -1), cancellable, callback, data)
        }
      } finish: { [opaque] result, error in
        g_dbus_connection_call_finish(opaque, result, error).map { Variant(taking: $0) }
      }
    } catch { throw BusError(error) }
  }

  /// Reads a property of an object of a running program; nil if the program answers with no value.
  public func property(
    _ name: String, of object: RemoteObject, timeout: Duration? = nil
  ) async throws(BusError) -> Variant? {
    let properties = RemoteObject(
      name: object.name, path: object.path, interface: "org.freedesktop.DBus.Properties")
    return try await call(
      properties, "Get", [.string(object.interface), .string(name)], timeout: timeout, startsService: false
    )[0]?.unboxed
  }

  /// Calls a method without waiting for the result, and without starting the program.
  public func send(_ object: RemoteObject, _ method: String, _ arguments: [Variant] = []) {
    guard object.isWellFormed, g_dbus_is_member_name(method) != 0 else { return }
    Variant.tuple(arguments).withPointer { arguments in
      g_dbus_connection_call(
        opaque, object.name, object.path, object.interface, method, arguments, nil,
        copypasta_G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, nil, nil, nil)
    }
  }

  // MARK: - Signals

  /// Whether the connection is open; GDBus prints a critical warning for a subscription on a closed connection.
  private var isOpen: Bool { g_dbus_connection_is_closed(opaque) == 0 }

  /// Calls `body` for each signal of this name that the object emits, with the signal's arguments as a tuple.
  ///
  /// Only signals of the current owner of the object's name are delivered. The arguments may have any type, so check
  /// their `type`.
  public func subscribe(
    to signal: String, of object: RemoteObject, _ body: @escaping @MainActor (Variant) -> Void
  ) -> Registration {
    let arrived:
      @MainActor @convention(c) (
        gpointer?, gpointer?, gpointer?, gpointer?, gpointer?, OpaquePointer?, gpointer?
      ) -> Void = { _, _, _, _, _, arguments, data in
        guard let arguments else { return }
        Closure<Subscriber>.behind(data)(Variant(borrowing: arguments))
      }
    guard object.isWellFormed, g_dbus_is_member_name(signal) != 0, isOpen else { return Registration {} }
    let id = g_dbus_connection_signal_subscribe(
      opaque, object.name, object.interface, signal, object.path, nil, copypasta_G_DBUS_SIGNAL_FLAGS_NONE,
      unsafeBitCast(arrived, to: GDBusSignalCallback.self),
      Closure<Subscriber>.retained(body),
      releaseClosure)
    return Registration { [owned] in
      g_dbus_connection_signal_unsubscribe(OpaquePointer(owned.raw), id)
    }
  }

  /// Emits a signal from one of this program's objects to all subscribers.
  public func emit(_ signal: String, of interface: String, at path: String, _ arguments: [Variant] = []) {
    Variant.tuple(arguments).withPointer {
      _ = g_dbus_connection_emit_signal(opaque, nil, path, interface, signal, $0, nil)
    }
  }

  // MARK: - Names

  /// Calls `appeared` or `vanished` for the current state of a bus name, and at each change.
  ///
  /// Watching does not start the program. `appeared` receives the owner's unique name, which distinguishes it from
  /// earlier owners.
  public func watchName(
    _ name: String, appeared: @escaping @MainActor (_ owner: String) -> Void,
    vanished: @escaping @MainActor () -> Void
  ) -> Registration {
    let came: @MainActor @convention(c) (gpointer?, gpointer?, UnsafePointer<CChar>?, gpointer?) -> Void = {
      _, _, owner, data in
      if let owner { Closure<NameHandlers>.behind(data).came(String(cString: owner)) }
    }
    let went: @MainActor @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, _, data in
      Closure<NameHandlers>.behind(data).went()
    }
    guard isOpen else { return Registration {} }
    let id = g_bus_watch_name_on_connection(
      opaque, name, copypasta_G_BUS_NAME_WATCHER_FLAGS_NONE,
      unsafeBitCast(came, to: GBusNameAppearedCallback.self),
      unsafeBitCast(went, to: GBusNameVanishedCallback.self),
      Closure<NameHandlers>.retained((came: appeared, went: vanished)),
      releaseClosure)
    return Registration { g_bus_unwatch_name(id) }
  }

  /// Requests a name on the bus; if the name has an owner, the request is queued.
  ///
  /// Releasing the name does not block. GLib's own function would wait for the bus, and warn if the connection closes
  /// during the wait.
  public func ownName(_ name: String) -> Registration {
    send(.bus, "RequestName", [.string(name), .uint32(0)])
    return Registration { [self] in send(.bus, "ReleaseName", [.string(name)]) }
  }
}

// MARK: - Objects of this program

extension Bus {
  /// The implementation of a method.
  ///
  /// It receives its arguments as a tuple with the types in the introspection data, and returns values of the declared
  /// result types or throws the error to reply with.
  public typealias Method = @MainActor (_ arguments: Variant) throws(BusError) -> [Variant]

  /// The implementation of a method that takes time; the caller waits for its answer.
  public typealias AsyncMethod = @MainActor (_ arguments: Variant) async throws(BusError) -> [Variant]

  /// Returns the value of a property, of the type that the introspection data declares.
  public typealias Property = @MainActor () -> Variant?

  /// Exports an object to other programs.
  ///
  /// Every call gets a reply. GDBus rejects undeclared methods and wrong argument types, so a method only receives
  /// arguments of its declared types.
  ///
  /// - Parameters:
  ///   - introspection: one interface, as a `node` of D-Bus introspection XML.
  ///   - path: the object's path, such as `/MenuBar`.
  /// - Throws: `BusError` if `introspection` is invalid, or the path already has that interface.
  public func export(
    _ introspection: String, at path: String, methods: [String: Method] = [:],
    asyncMethods: [String: AsyncMethod] = [:], properties: [String: Property] = [:]
  ) throws(BusError) -> Registration {
    var error: UnsafeMutablePointer<GError>?
    guard let node = g_dbus_node_info_new_for_xml(introspection, &error) else {
      throw .invalidArguments(GLibError(taking: error).message)
    }
    defer { g_dbus_node_info_unref(node) }
    guard let interface = node.pointee.interfaces?[0] else { throw .invalidArguments("no interface") }
    let object = ExportedObject(methods: methods, asyncMethods: asyncMethods, properties: properties)
    var table = ExportedObject.table
    // Do not pass ownership, because only some versions of GDBus release an object that they reject. The object is not
    // needed after it is unregistered, because GDBus itself then replies to pending calls.
    let id = g_dbus_connection_register_object(
      opaque, path, interface, &table, Unmanaged.passUnretained(object).toOpaque(), nil, &error)
    guard id != 0 else {
      throw .refused(
        name: "org.freedesktop.DBus.Error.ObjectPathInUse", message: GLibError(taking: error).message)
    }
    return Registration { [owned, object] in
      g_dbus_connection_unregister_object(OpaquePointer(owned.raw), id)
      withExtendedLifetime(object) {}
    }
  }
}

private typealias Subscriber = @MainActor (Variant) -> Void

private typealias NameHandlers = (came: @MainActor (String) -> Void, went: @MainActor () -> Void)

/// An interface of another program's object.
public struct RemoteObject: Sendable, Equatable {
  public let name: String
  public let path: String
  public let interface: String

  /// Refers to an object, which does not have to exist.
  public init(name: String, path: String, interface: String) {
    self.name = name
    self.path = path
    self.interface = interface
  }

  public static let bus = RemoteObject(
    name: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus")

  /// Whether the name, path and interface are valid.
  ///
  /// GDBus treats invalid names and paths as programming errors, but some of them come from other programs.
  var isWellFormed: Bool {
    g_dbus_is_name(name) != 0 && g_variant_is_object_path(path) != 0
      && g_dbus_is_interface_name(interface) != 0
  }
}

@MainActor
private final class ExportedObject {
  private let methods: [String: Bus.Method]
  private let asyncMethods: [String: Bus.AsyncMethod]
  private let properties: [String: Bus.Property]

  init(
    methods: [String: Bus.Method], asyncMethods: [String: Bus.AsyncMethod], properties: [String: Bus.Property]
  ) {
    self.methods = methods
    self.asyncMethods = asyncMethods
    self.properties = properties
  }

  /// The functions that GDBus calls, in a table that it copies.
  ///
  /// The table has no setter, so GDBus rejects attempts to set a property.
  static var table: GDBusInterfaceVTable {
    let call:
      @MainActor @convention(c) (
        gpointer?, gpointer?, gpointer?, gpointer?, UnsafePointer<CChar>?, OpaquePointer?, OpaquePointer?,
        gpointer?
      ) -> Void = { _, _, _, _, method, arguments, invocation, data in
        guard let method, let arguments, let invocation else { return }
        ExportedObject.behind(data).call(String(cString: method), Variant(borrowing: arguments), invocation)
      }
    let get:
      @MainActor @convention(c) (
        gpointer?, gpointer?, gpointer?, gpointer?, UnsafePointer<CChar>?,
        UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?, gpointer?
      ) -> OpaquePointer? = { _, _, _, _, property, error, data in
        guard let property else { return nil }
        return ExportedObject.behind(data).value(of: String(cString: property), error)
      }
    var table = GDBusInterfaceVTable()
    table.method_call = unsafeBitCast(call, to: GDBusInterfaceMethodCallFunc.self)
    table.get_property = unsafeBitCast(get, to: GDBusInterfaceGetPropertyFunc.self)
    return table
  }

  private static func behind(_ data: gpointer?) -> ExportedObject {
    Unmanaged.fromOpaque(data.unsafelyUnwrapped).takeUnretainedValue()
  }

  /// Replies to a call; replying consumes `invocation` (transfer full).
  private func call(_ method: String, _ arguments: Variant, _ invocation: OpaquePointer) {
    if let body = asyncMethods[method] {
      Task.unpooled {
        do throws(BusError) {
          Self.reply(to: invocation, .success(try await body(arguments)))
        } catch {
          Self.reply(to: invocation, .failure(error))
        }
      }
      return
    }
    do throws(BusError) {
      guard let body = methods[method] else {
        throw .refused(name: BusError.unknownMethod, message: "no such method")
      }
      Self.reply(to: invocation, .success(try body(arguments)))
    } catch {
      Self.reply(to: invocation, .failure(error))
    }
  }

  private static func reply(to invocation: OpaquePointer, _ outcome: Result<[Variant], BusError>) {
    switch outcome {
    case .success(let values):
      Variant.tuple(values).withPointer { g_dbus_method_invocation_return_value(invocation, $0) }
    case .failure(let error):
      let (name, message) = error.answer
      g_dbus_method_invocation_return_dbus_error(invocation, name, message)
    }
  }

  /// Returns a property's value (transfer full); if there is none, sets `error`, because GDBus would otherwise abort.
  private func value(
    of property: String, _ error: UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?
  ) -> OpaquePointer? {
    if let value = properties[property]?() { return value.withPointer { g_variant_ref($0) } }
    g_set_error_literal(
      error, g_dbus_error_quark(), gint(G_DBUS_ERROR_UNKNOWN_PROPERTY.rawValue), "no such property")
    return nil
  }
}
