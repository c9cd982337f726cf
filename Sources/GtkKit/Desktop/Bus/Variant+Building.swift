import CGtk

extension Variant {
  /// A text, `s`; it ends at its first NUL, which D-Bus does not know.
  public static func string(_ value: String) -> Variant { Variant(sinking: g_variant_new_string(value)) }

  /// A truth value, `b`.
  public static func bool(_ value: Bool) -> Variant { Variant(sinking: g_variant_new_boolean(value ? 1 : 0)) }

  /// A number, `i`.
  public static func int32(_ value: Int32) -> Variant { Variant(sinking: g_variant_new_int32(value)) }

  /// A number, `u`.
  public static func uint32(_ value: UInt32) -> Variant { Variant(sinking: g_variant_new_uint32(value)) }

  /// A number, `x`.
  public static func int64(_ value: Int64) -> Variant { Variant(sinking: g_variant_new_int64(gint64(value))) }

  /// A number, `t`.
  public static func uint64(_ value: UInt64) -> Variant {
    Variant(sinking: g_variant_new_uint64(guint64(value)))
  }

  /// A number, `d`.
  public static func double(_ value: Double) -> Variant { Variant(sinking: g_variant_new_double(value)) }

  /// An object's path, `o`; nil for what is none.
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

  /// A value in a box that says its type, `v`.
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

  /// Values that belong together, such as `(is)`.
  public static func tuple(_ values: [Variant]) -> Variant {
    withPointers(to: values) { children, count in Variant(sinking: g_variant_new_tuple(children, count)) }
  }

  /// Values of one type, which each of them must have: an array of `s` is `as`.
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
}
