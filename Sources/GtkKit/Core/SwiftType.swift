import CGtk

/// A GType registered from Swift, each of whose instances keeps a Swift object alive.
@MainActor
struct SwiftType {
  let id: GType

  /// Registers the type; it may implement one interface, whose table `initInterface` fills.
  init(
    name: String, interface: GType = 0, initInterface: (@MainActor (UnsafeMutableRawPointer) -> Void)? = nil
  ) {
    let initClass: @MainActor @convention(c) (gpointer?, gpointer?) -> Void = { type, _ in
      type?.assumingMemoryBound(to: GObjectClass.self).pointee.finalize = releaseSwiftObject
    }
    id = g_type_register_static_simple(
      copypasta_type_object(), name, guint(MemoryLayout<GObjectClass>.size),
      unsafeBitCast(initClass, to: GClassInitFunc.self), guint(MemoryLayout<CopyPastaObject>.size), nil,
      GTypeFlags(rawValue: 0))
    guard let initInterface else { return }
    let fill: @MainActor @convention(c) (gpointer?, gpointer?) -> Void = { table, data in
      guard let table, let data else { return }
      Unmanaged<InterfaceFiller>.fromOpaque(data).takeUnretainedValue().fill(table)
    }
    var info = GInterfaceInfo(
      interface_init: unsafeBitCast(fill, to: GInterfaceInitFunc.self), interface_finalize: nil,
      // A static type is never unregistered, so what fills its interface stays as well.
      interface_data: Unmanaged.passRetained(InterfaceFiller(fill: initInterface)).toOpaque())
    g_type_add_interface_static(id, interface, &info)
  }

  /// A new instance (transfer full) that keeps a Swift object alive.
  func instance(of object: AnyObject) -> UnsafeMutableRawPointer {
    let instance = UnsafeMutableRawPointer(copypasta_object_new(id).unsafelyUnwrapped)
    let held = instance.assumingMemoryBound(to: CopyPastaObject.self)
    held.pointee.swift = Unmanaged.passRetained(object).toOpaque()
    return instance
  }
}

/// The Swift object that an instance of a `SwiftType` keeps alive.
@MainActor
func swiftObject<Held: AnyObject>(behind instance: UnsafeMutableRawPointer, _: Held.Type) -> Held? {
  let held = instance.assumingMemoryBound(to: CopyPastaObject.self)
  return held.pointee.swift.map { Unmanaged<Held>.fromOpaque($0).takeUnretainedValue() }
}

private final class InterfaceFiller {
  let fill: @MainActor (UnsafeMutableRawPointer) -> Void
  init(fill: @escaping @MainActor (UnsafeMutableRawPointer) -> Void) { self.fill = fill }
}

/// `finalize` of every `SwiftType`.
private func releaseSwiftObject(_ object: UnsafeMutablePointer<GObject>?) {
  guard let object else { return }
  let held = UnsafeMutableRawPointer(object).assumingMemoryBound(to: CopyPastaObject.self)
  if let swift = held.pointee.swift { Unmanaged<AnyObject>.fromOpaque(swift).release() }
  let parent = g_type_class_peek(copypasta_type_object())
  parent?.assumingMemoryBound(to: GObjectClass.self).pointee.finalize(object)
}
