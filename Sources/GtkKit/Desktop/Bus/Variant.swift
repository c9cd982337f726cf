import CGtk

/// A value as sent over D-Bus: a `GVariant`, which has a type and is immutable.
///
/// ```swift
/// let hints = Variant.dictionary(["urgency": .int32(1)])
/// hints.type                            // "a{sv}"
/// hints.dictionary?["urgency"]?.int32   // 1
/// hints.string                          // nil: a dictionary is not a string
/// ```
public final class Variant: @unchecked Sendable {
  // Unchecked: GLib counts a variant's references atomically, and its value is immutable.
  private let pointer: OpaquePointer

  /// Takes ownership of a floating reference, as returned by the `g_variant_new_` functions.
  init(sinking pointer: OpaquePointer) {
    self.pointer = g_variant_ref_sink(pointer)
  }

  /// Takes ownership of a reference that the caller received (transfer full).
  init(taking pointer: OpaquePointer) {
    self.pointer = pointer
  }

  /// Adds a reference to a variant that another owner keeps (transfer none).
  init(borrowing pointer: OpaquePointer) {
    self.pointer = g_variant_ref(pointer)
  }

  deinit {
    g_variant_unref(pointer)
  }

  /// Calls `body` with the pointer and extends the variant's lifetime until it returns.
  func withPointer<Result>(_ body: (OpaquePointer) -> Result) -> Result {
    withExtendedLifetime(self) { body(pointer) }
  }

  /// The type, in the signature language of the D-Bus specification, such as `a{sv}`.
  public var type: String { withPointer { String(cString: g_variant_get_type_string($0)) } }

  // MARK: - Building

  /// A string, `s`, that ends at the first NUL, because D-Bus strings cannot contain NULs.
  public static func string(_ value: String) -> Variant { Variant(sinking: g_variant_new_string(value)) }

  public static func bool(_ value: Bool) -> Variant { Variant(sinking: g_variant_new_boolean(value ? 1 : 0)) }

  public static func int32(_ value: Int32) -> Variant { Variant(sinking: g_variant_new_int32(value)) }

  public static func uint32(_ value: UInt32) -> Variant { Variant(sinking: g_variant_new_uint32(value)) }

  public static func int64(_ value: Int64) -> Variant { Variant(sinking: g_variant_new_int64(gint64(value))) }

  public static func double(_ value: Double) -> Variant { Variant(sinking: g_variant_new_double(value)) }

  /// An object path, `o`; nil if `path` is invalid.
  public static func objectPath(_ path: String) -> Variant? {
    guard g_variant_is_object_path(path) != 0 else { return nil }
    return Variant(sinking: g_variant_new_object_path(path))
  }

  public static func strings(_ values: [String]) -> Variant { array(of: "s", values.map(string)) }

  public static func int32s(_ values: [Int32]) -> Variant {
    withType("i") { type in
      Variant(sinking: g_variant_new_fixed_array(type, values, gsize(values.count), 4))
    }
  }

  public static func bytes(_ values: [UInt8]) -> Variant {
    withType("y") { type in
      Variant(sinking: g_variant_new_fixed_array(type, values, gsize(values.count), 1))
    }
  }

  /// A variant of type `v` that contains `value`.
  public static func boxed(_ value: Variant) -> Variant {
    value.withPointer { Variant(sinking: g_variant_new_variant($0)) }
  }

  /// A dictionary of variants, `a{sv}`; its entries are sorted by key, so that equal dictionaries give equal variants.
  public static func dictionary(_ values: [String: Variant]) -> Variant {
    let entries = values.sorted { $0.key < $1.key }.map { name, value in
      string(name).withPointer { name in
        boxed(value).withPointer { Variant(sinking: g_variant_new_dict_entry(name, $0)) }
      }
    }
    return array(of: "{sv}", entries)
  }

  public static func tuple(_ values: [Variant]) -> Variant {
    withPointers(to: values) { children, count in Variant(sinking: g_variant_new_tuple(children, count)) }
  }

  /// An array of values of the given element type: `s` gives `as`.
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

  // Each property is nil if the value has a different type, because other programs may send any type.

  /// A string, from `s`, `o` or `g`.
  public var string: String? {
    guard ["s", "o", "g"].contains(type) else { return nil }
    return withPointer { String(cString: g_variant_get_string($0, nil)) }
  }

  public var bool: Bool? { type == "b" ? withPointer(g_variant_get_boolean) != 0 : nil }

  public var int32: Int32? { type == "i" ? withPointer(g_variant_get_int32) : nil }

  public var uint32: UInt32? { type == "u" ? withPointer(g_variant_get_uint32) : nil }

  public var double: Double? { type == "d" ? withPointer(g_variant_get_double) : nil }

  public var bytes: [UInt8]? { type == "ay" ? elements() : nil }

  public var int32s: [Int32]? { type == "ai" ? elements() : nil }

  private func elements<Element: BitwiseCopyable>() -> [Element] {
    withPointer { pointer in
      var count: gsize = 0
      let start = g_variant_get_fixed_array(pointer, &count, gsize(MemoryLayout<Element>.size))
      // An empty array has a null pointer.
      guard let elements = start?.assumingMemoryBound(to: Element.self) else { return [] }
      return Array(UnsafeBufferPointer(start: elements, count: Int(count)))
    }
  }

  /// The contained value, from `v`.
  public var unboxed: Variant? {
    type == "v" ? withPointer(g_variant_get_variant).map(Variant.init(taking:)) : nil
  }

  /// The elements of a tuple, an array or a dictionary entry.
  public var children: [Variant]? {
    guard type.hasPrefix("(") || type.hasPrefix("a") || type.hasPrefix("{") else { return nil }
    return withPointer { pointer in
      (0..<g_variant_n_children(pointer)).compactMap {
        g_variant_get_child_value(pointer, $0).map(Variant.init(taking:))
      }
    }
  }

  /// The element at a position of a tuple or an array; nil if the position is out of range.
  public subscript(index: Int) -> Variant? {
    guard let children, children.indices.contains(index) else { return nil }
    return children[index]
  }

  public var strings: [String]? { type == "as" ? children?.compactMap(\.string) : nil }

  /// The contained values by key, from `a{sv}`.
  public var dictionary: [String: Variant]? {
    guard type == "a{sv}", let children else { return nil }
    // D-Bus permits duplicate keys; use the last value.
    let pairs = children.compactMap { entry -> (String, Variant)? in
      guard let name = entry[0]?.string, let value = entry[1]?.unboxed else { return nil }
      return (name, value)
    }
    return Dictionary(pairs) { $1 }
  }
}

extension Variant: Equatable {
  public static func == (one: Variant, other: Variant) -> Bool {
    one.withPointer { one in
      other.withPointer { g_variant_equal(UnsafeRawPointer(one), UnsafeRawPointer($0)) != 0 }
    }
  }
}

extension Variant: CustomStringConvertible {
  /// Shows only the type, because the value may be the user's text.
  public var description: String { "Variant(\(type))" }
}
