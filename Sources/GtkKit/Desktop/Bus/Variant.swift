import CGtk

/// A value as it travels on D-Bus: a `GVariant`, which knows its type and never changes.
///
/// ```swift
/// let hints = Variant.dictionary(["urgency": .int32(1)])
/// hints.type                            // "a{sv}"
/// hints.dictionary?["urgency"]?.int32   // 1
/// hints.string                          // nil: a dictionary is no string
/// ```
public final class Variant: @unchecked Sendable {
  // Unchecked: GLib counts a variant's references atomically, and its value is immutable.
  private let pointer: OpaquePointer

  /// Owns what one of the `g_variant_new_` functions returned, which is floating.
  init(sinking pointer: OpaquePointer) {
    self.pointer = g_variant_ref_sink(pointer)
  }

  /// Owns a reference that the caller was given (transfer full).
  init(taking pointer: OpaquePointer) {
    self.pointer = pointer
  }

  /// Adds a reference to what someone else owns (transfer none).
  init(borrowing pointer: OpaquePointer) {
    self.pointer = g_variant_ref(pointer)
  }

  deinit {
    g_variant_unref(pointer)
  }

  /// Calls `body` with the pointer, and keeps the variant for the call: Swift may free what nobody names any more.
  func withPointer<Result>(_ body: (OpaquePointer) -> Result) -> Result {
    withExtendedLifetime(self) { body(pointer) }
  }

  /// The type, in the signature language of the D-Bus specification, such as `a{sv}`.
  public var type: String { withPointer { String(cString: g_variant_get_type_string($0)) } }

  // MARK: - Building

  /// A text, `s`, up to its first NUL, which D-Bus does not know.
  public static func string(_ value: String) -> Variant { Variant(sinking: g_variant_new_string(value)) }

  /// A truth value, `b`.
  public static func bool(_ value: Bool) -> Variant { Variant(sinking: g_variant_new_boolean(value ? 1 : 0)) }

  /// A number, `i`.
  public static func int32(_ value: Int32) -> Variant { Variant(sinking: g_variant_new_int32(value)) }

  /// A number, `u`.
  public static func uint32(_ value: UInt32) -> Variant { Variant(sinking: g_variant_new_uint32(value)) }

  /// A number, `x`.
  public static func int64(_ value: Int64) -> Variant { Variant(sinking: g_variant_new_int64(gint64(value))) }

  /// A number, `d`.
  public static func double(_ value: Double) -> Variant { Variant(sinking: g_variant_new_double(value)) }

  /// An object's path, `o`; nil for a text that is no path.
  public static func objectPath(_ path: String) -> Variant? {
    guard g_variant_is_object_path(path) != 0 else { return nil }
    return Variant(sinking: g_variant_new_object_path(path))
  }

  /// Texts, `as`.
  public static func strings(_ values: [String]) -> Variant { array(of: "s", values.map(string)) }

  /// Numbers, `ai`.
  public static func int32s(_ values: [Int32]) -> Variant {
    withType("i") { type in
      Variant(sinking: g_variant_new_fixed_array(type, values, gsize(values.count), 4))
    }
  }

  /// Bytes, `ay`.
  public static func bytes(_ values: [UInt8]) -> Variant {
    withType("y") { type in
      Variant(sinking: g_variant_new_fixed_array(type, values, gsize(values.count), 1))
    }
  }

  /// A value in a box with its type, `v`.
  public static func boxed(_ value: Variant) -> Variant {
    value.withPointer { Variant(sinking: g_variant_new_variant($0)) }
  }

  /// Values by name, each in a box, `a{sv}`; in the order of their names, so that equal ones are equal.
  public static func dictionary(_ values: [String: Variant]) -> Variant {
    let entries = values.sorted { $0.key < $1.key }.map { name, value in
      string(name).withPointer { name in
        boxed(value).withPointer { Variant(sinking: g_variant_new_dict_entry(name, $0)) }
      }
    }
    return array(of: "{sv}", entries)
  }

  /// A tuple of values, such as `(is)`.
  public static func tuple(_ values: [Variant]) -> Variant {
    withPointers(to: values) { children, count in Variant(sinking: g_variant_new_tuple(children, count)) }
  }

  /// An array of values, all of one type: that of `s` is `as`.
  public static func array(of type: String, _ values: [Variant]) -> Variant {
    precondition(values.allSatisfy { $0.type == type }, "an array of \(type) of something else")
    return withType(type) { type in
      withPointers(to: values) { children, count in
        Variant(sinking: g_variant_new_array(type, children, count))
      }
    }
  }

  private static func withPointers(
    to values: [Variant], _ body: (UnsafePointer<OpaquePointer?>?, gsize) -> Variant
  ) -> Variant {
    withExtendedLifetime(values) {
      let pointers: [OpaquePointer?] = values.map { $0.withPointer { $0 } }
      return pointers.withUnsafeBufferPointer { body($0.baseAddress, gsize($0.count)) }
    }
  }

  private static func withType(_ name: String, _ body: (OpaquePointer?) -> Variant) -> Variant {
    let type = g_variant_type_new(name)
    defer { g_variant_type_free(type) }
    return body(type)
  }

  // MARK: - Reading

  // A property is nil if the value is of another type: other programs may send anything.

  /// A text: of `s`, `o` or `g`.
  public var string: String? {
    guard ["s", "o", "g"].contains(type) else { return nil }
    return withPointer { String(cString: g_variant_get_string($0, nil)) }
  }

  /// A truth value, of `b`.
  public var bool: Bool? { type == "b" ? withPointer(g_variant_get_boolean) != 0 : nil }

  /// A number, of `i`.
  public var int32: Int32? { type == "i" ? withPointer(g_variant_get_int32) : nil }

  /// A number, of `u`.
  public var uint32: UInt32? { type == "u" ? withPointer(g_variant_get_uint32) : nil }

  /// A number, of `d`.
  public var double: Double? { type == "d" ? withPointer(g_variant_get_double) : nil }

  /// Bytes, of `ay`.
  public var bytes: [UInt8]? { type == "ay" ? elements() : nil }

  /// Numbers, of `ai`.
  public var int32s: [Int32]? { type == "ai" ? elements() : nil }

  private func elements<Element: BitwiseCopyable>() -> [Element] {
    withPointer { pointer in
      var count: gsize = 0
      let start = g_variant_get_fixed_array(pointer, &count, gsize(MemoryLayout<Element>.size))
      // An empty array has no address.
      guard let elements = start?.assumingMemoryBound(to: Element.self) else { return [] }
      return Array(UnsafeBufferPointer(start: elements, count: Int(count)))
    }
  }

  /// The value in a variant of type `v`.
  public var unboxed: Variant? {
    type == "v" ? withPointer(g_variant_get_variant).map(Variant.init(taking:)) : nil
  }

  /// The values of a tuple or an array, in their order.
  public var children: [Variant]? {
    guard type.hasPrefix("(") || type.hasPrefix("a") || type.hasPrefix("{") else { return nil }
    return withPointer { pointer in
      (0..<g_variant_n_children(pointer)).compactMap {
        g_variant_get_child_value(pointer, $0).map(Variant.init(taking:))
      }
    }
  }

  /// The value at a position of a tuple or an array; nil if there is none.
  public subscript(index: Int) -> Variant? {
    guard let children, children.indices.contains(index) else { return nil }
    return children[index]
  }

  /// Texts, of `as`.
  public var strings: [String]? { type == "as" ? children?.compactMap(\.string) : nil }

  /// Values by name, out of their boxes, of `a{sv}`.
  public var dictionary: [String: Variant]? {
    guard type == "a{sv}", let children else { return nil }
    // Two values of one name are allowed on the wire: the last one counts.
    let pairs = children.compactMap { entry -> (String, Variant)? in
      guard let name = entry[0]?.string, let value = entry[1]?.unboxed else { return nil }
      return (name, value)
    }
    return Dictionary(pairs) { $1 }
  }
}

extension Variant: Equatable {
  /// Whether both have the same type and the same value.
  public static func == (one: Variant, other: Variant) -> Bool {
    one.withPointer { one in
      other.withPointer { g_variant_equal(UnsafeRawPointer(one), UnsafeRawPointer($0)) != 0 }
    }
  }
}

extension Variant: CustomStringConvertible {
  /// The type alone: the value may be a text of the user's.
  public var description: String { "Variant(\(type))" }
}
