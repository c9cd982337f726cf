import CGtk

/// A value as it travels on D-Bus: a `GVariant`, which knows its type and never changes.
///
/// ```swift
/// let hints = Variant.dictionary(["urgency": .int32(1)])
/// hints.type                            // "a{sv}"
/// hints.dictionary?["urgency"]?.int32   // 1
/// hints.string                          // nil: it is none
/// ```
public final class Variant: @unchecked Sendable {
  // Unchecked: GLib counts a variant's references atomically, and what it holds is immutable.
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

  /// Calls with the pointer, which is valid for the call: a variant that nobody names any more would be freed before.
  func withPointer<Result>(_ body: (OpaquePointer) -> Result) -> Result {
    withExtendedLifetime(self) { body(pointer) }
  }

  /// The type, in the signature language of the D-Bus specification, such as `a{sv}`.
  public var type: String { withPointer { String(cString: g_variant_get_type_string($0)) } }
}

extension Variant: Equatable {
  /// Whether both have the same type and hold the same.
  public static func == (one: Variant, other: Variant) -> Bool {
    one.withPointer { one in
      other.withPointer { g_variant_equal(UnsafeRawPointer(one), UnsafeRawPointer($0)) != 0 }
    }
  }
}

extension Variant: CustomStringConvertible {
  /// The type alone: what it holds may be a text of the user's.
  public var description: String { "Variant(\(type))" }
}
