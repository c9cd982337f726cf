import CGtk

/// The value of a setting, in the types that are in use.
public enum SettingsValue: Equatable, Sendable {
  /// `b`.
  case flag(Bool)
  /// `s`.
  case text(String)
  /// `u`: from 0 to 4,294,967,295.
  case number(Int)
  /// `as`.
  case texts([String])

  /// Reads a value; nil for other types.
  init?(_ variant: OpaquePointer) {
    switch String(cString: g_variant_get_type_string(variant)) {
    case "b": self = .flag(g_variant_get_boolean(variant) != 0)
    case "s": self = .text(String(cString: g_variant_get_string(variant, nil)))
    case "u": self = .number(Int(g_variant_get_uint32(variant)))
    case "as": self = .texts(Variant(borrowing: variant).strings ?? [])
    default: return nil
    }
  }

  /// The value for GLib: a floating reference.
  var variant: OpaquePointer {
    switch self {
    case .flag(let value): g_variant_new_boolean(value ? 1 : 0)
    case .text(let value): g_variant_new_string(value)
    case .number(let value): g_variant_new_uint32(guint32(clamping: value))
    case .texts(let values): Self.newList(values)
    }
  }

  private static func newList(_ values: [String]) -> OpaquePointer {
    var texts: [UnsafePointer<CChar>?] = values.map { UnsafePointer(g_strdup($0)) }
    defer { for text in texts { g_free(UnsafeMutablePointer(mutating: text)) } }
    return g_variant_new_strv(&texts, gssize(values.count))
  }
}
