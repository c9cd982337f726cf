import CGtk

extension Bus {
  /// What a call of a method does: given its arguments, a tuple of the types that the introspection data names, it
  /// returns values of the types named there, or throws the error to answer with.
  public typealias Method = @MainActor (_ arguments: Variant) throws(BusError) -> [Variant]

  /// The value of a property, of the type that the introspection data names.
  public typealias Property = @MainActor () -> Variant?

  /// Offers an object to other programs.
  ///
  /// Whatever they send gets an answer: GDBus itself refuses a call of something that the introspection data does
  /// not name, or with other types, so that a method sees only arguments of its own types.
  ///
  /// - Parameters:
  ///   - introspection: one interface, as a `node` of D-Bus introspection XML.
  ///   - path: where the object is, such as `/MenuBar`.
  /// - Throws: `BusError` if that interface is there already.
  public func export(
    _ introspection: String, at path: String, methods: [String: Method], properties: [String: Property] = [:]
  ) throws(BusError) -> Registration {
    var error: UnsafeMutablePointer<GError>?
    guard let node = g_dbus_node_info_new_for_xml(introspection, &error) else {
      throw .invalidArguments(GLibError(taking: error).message)
    }
    defer { g_dbus_node_info_unref(node) }
    guard let interface = node.pointee.interfaces?[0] else { throw .invalidArguments("no interface") }
    let object = ExportedObject(methods: methods, properties: properties)
    var table = ExportedObject.table
    // GDBus does not own the object: whether it releases one that it refuses depends on its version. Once the object
    // is unregistered, GDBus itself answers the calls that are on their way.
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

/// The closures behind an exported object.
@MainActor
private final class ExportedObject {
  private let methods: [String: Bus.Method]
  private let properties: [String: Bus.Property]

  init(methods: [String: Bus.Method], properties: [String: Bus.Property]) {
    self.methods = methods
    self.properties = properties
  }

  /// How GDBus calls, which makes a copy of its own.
  ///
  /// Without a function that sets properties it refuses to.
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

  /// Answers the call; `invocation` is ours until then (transfer full), and the answer ends it.
  private func call(_ method: String, _ arguments: Variant, _ invocation: OpaquePointer) {
    do throws(BusError) {
      guard let body = methods[method] else {
        throw .refused(name: BusError.unknownMethod, message: "no such method")
      }
      let answer = Variant.tuple(try body(arguments))
      answer.withPointer { g_dbus_method_invocation_return_value(invocation, $0) }
    } catch {
      let (name, message) = error.answer
      g_dbus_method_invocation_return_dbus_error(invocation, name, message)
    }
  }

  /// A property's value (transfer full); nil sets the error, without which GDBus aborts.
  private func value(
    of property: String, _ error: UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?
  ) -> OpaquePointer? {
    if let value = properties[property]?() { return value.withPointer { g_variant_ref($0) } }
    g_set_error_literal(
      error, g_dbus_error_quark(), gint(G_DBUS_ERROR_UNKNOWN_PROPERTY.rawValue), "no such property")
    return nil
  }
}
