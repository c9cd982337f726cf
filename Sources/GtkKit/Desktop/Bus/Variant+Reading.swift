import CGtk

/// Each answers nil where the value is of another type: what other programs send may be anything.
extension Variant {
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

  /// A number, of `x`.
  public var int64: Int64? { type == "x" ? Int64(withPointer(g_variant_get_int64)) : nil }

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

  /// What is in the box, of `v`.
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

  /// One value of a tuple or an array; nil where there is none.
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
