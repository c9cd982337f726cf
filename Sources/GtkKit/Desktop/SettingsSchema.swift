import CGtk

/// A compiled GSettings schema, which names the settings that exist.
@MainActor
public final class SettingsSchema {
  let pointer: OpaquePointer

  /// Looks a schema up where the desktop keeps them (`$XDG_DATA_DIRS`, `GSETTINGS_SCHEMA_DIR`); nil if it is not
  /// installed.
  public convenience init?(_ id: String) {
    self.init(id, in: g_settings_schema_source_get_default())
  }

  /// Looks a schema up in a folder that holds a `gschemas.compiled`; nil if that is missing or has no such schema.
  public convenience init?(_ id: String, compiledIn folder: String) {
    let source = g_settings_schema_source_new_from_directory(
      folder, g_settings_schema_source_get_default(), 0, nil)
    defer { if let source { g_settings_schema_source_unref(source) } }
    self.init(id, in: source)
  }

  private init?(_ id: String, in source: OpaquePointer?) {
    // `g_settings_new` would abort the program if the schema is not installed.
    guard let source, let schema = g_settings_schema_source_lookup(source, id, 1) else { return nil }
    pointer = schema
  }

  isolated deinit {
    g_settings_schema_unref(pointer)
  }

  /// Where the values are, such as `/org/example/app/`; nil for a schema that several places have.
  public var path: String? { g_settings_schema_get_path(pointer).map { String(cString: $0) } }

  /// The names of all keys, in no order.
  public var keys: [String] {
    guard let list = g_settings_schema_list_keys(pointer) else { return [] }
    defer { g_strfreev(list) }
    return strings(in: UnsafeRawPointer(list).assumingMemoryBound(to: UnsafePointer<CChar>?.self))
  }

  /// The value of a key that the user has not set; nil if there is no such key.
  public func initialValue(of key: String) -> Variant? {
    guard let description = schemaKey(key) else { return nil }
    defer { g_settings_schema_key_unref(description) }
    return g_settings_schema_key_get_default_value(description).map(Variant.init(taking:))
  }

  /// Whether a key accepts a value: it exists, is of that type, and the value lies within its range.
  func accepts(_ value: Variant, for key: String) -> Bool {
    guard let description = schemaKey(key) else { return false }
    defer { g_settings_schema_key_unref(description) }
    let type = g_settings_schema_key_get_value_type(description)
    return value.withPointer {
      g_variant_is_of_type($0, type) != 0 && g_settings_schema_key_range_check(description, $0) != 0
    }
  }

  private func schemaKey(_ key: String) -> OpaquePointer? {
    // `g_settings_schema_get_key` would abort, too.
    guard g_settings_schema_has_key(pointer, key) != 0 else { return nil }
    return g_settings_schema_get_key(pointer, key)
  }
}
