import CGtk

/// A GType registered from Swift; each of its instances retains a Swift object.
@MainActor
struct SwiftType {
  let id: GType

  /// Registers a type that implements an interface or overrides functions of its class.
  ///
  /// - Parameters:
  ///   - parent: a type with the same instance struct as GObject; nil for GObject itself.
  ///   - classSize: the size of the parent's class struct, in bytes.
  ///   - fill: writes the type's functions into the table of the interface or class.
  init(
    name: String, parent: GType? = nil, classSize: Int = MemoryLayout<GObjectClass>.size,
    interface: GType? = nil, fill: @escaping TableFiller
  ) {
    let initClass: @MainActor @convention(c) (gpointer?, gpointer?) -> Void = { table, data in
      guard let table else { return }
      table.assumingMemoryBound(to: GObjectClass.self).pointee.finalize = releaseSwiftObject
      if data != nil { Closure<TableFiller>.behind(data)(table) }
    }
    let initInterface: @MainActor @convention(c) (gpointer?, gpointer?) -> Void = { table, data in
      if let table { Closure<TableFiller>.behind(data)(table) }
    }
    // A static type is never unregistered, so `fill` is retained forever, too.
    let filler = Closure<TableFiller>.retained(fill)
    var type = GTypeInfo()
    type.class_size = guint16(classSize)
    type.class_init = unsafeBitCast(initClass, to: GClassInitFunc.self)
    type.class_data = interface == nil ? UnsafeRawPointer(filler) : nil
    type.instance_size = guint16(MemoryLayout<CopyPastaObject>.size)
    id = g_type_register_static(parent ?? copypasta_type_object(), name, &type, GTypeFlags(rawValue: 0))
    guard let interface else { return }
    var info = GInterfaceInfo(
      interface_init: unsafeBitCast(initInterface, to: GInterfaceInitFunc.self), interface_finalize: nil,
      interface_data: filler)
    g_type_add_interface_static(id, interface, &info)
  }

  /// Creates an instance (transfer full) that retains a Swift object.
  func instance(of object: AnyObject) -> UnsafeMutableRawPointer {
    let instance = UnsafeMutableRawPointer(copypasta_object_new(id).unsafelyUnwrapped)
    let held = instance.assumingMemoryBound(to: CopyPastaObject.self)
    held.pointee.swift = Unmanaged.passRetained(object).toOpaque()
    return instance
  }
}

@MainActor
func swiftObject<Held: AnyObject>(behind instance: UnsafeMutableRawPointer, _: Held.Type) -> Held? {
  let held = instance.assumingMemoryBound(to: CopyPastaObject.self)
  return held.pointee.swift.map { Unmanaged<Held>.fromOpaque($0).takeUnretainedValue() }
}

typealias TableFiller = @MainActor (UnsafeMutableRawPointer) -> Void

/// Implements `finalize` for every `SwiftType`.
private func releaseSwiftObject(_ object: UnsafeMutablePointer<GObject>?) {
  guard let object else { return }
  let held = UnsafeMutableRawPointer(object).assumingMemoryBound(to: CopyPastaObject.self)
  if let swift = held.pointee.swift { Unmanaged<AnyObject>.fromOpaque(swift).release() }
  let parent = g_type_class_peek_parent(object.pointee.g_type_instance.g_class)
  parent?.assumingMemoryBound(to: GObjectClass.self).pointee.finalize(object)
}
