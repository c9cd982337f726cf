import CGtk

/// The user's settings: those of a GSettings schema, or, if that is not installed, values kept in memory.
///
/// ```swift
/// let schema = SettingsSchema("org.example.App")
/// let settings = Settings(schema, initially: ["sound": .bool(true)]) { key in print(key, "has changed") }
/// settings.set("sound", to: .bool(false))
/// ```
@MainActor
public final class Settings {
  private let schema: SettingsSchema?
  /// The GSettings object, if there is a schema.
  private let stored: Object?
  private var values: [String: Variant]
  private let changed: @MainActor (String) -> Void

  /// The settings of a schema, in the place and by the backend that GSettings has for them.
  ///
  /// - Parameters:
  ///   - schema: nil for values that last as long as this object.
  ///   - path: where the values are, for a schema that does not say so itself; nil for one that does.
  ///   - initial: every key, with what holds if the schema does not know it.
  ///   - changed: called with the key of each change, whoever made it.
  public init(
    _ schema: SettingsSchema?, at path: String? = nil, initially initial: [String: Variant],
    changed: @escaping @MainActor (_ key: String) -> Void = { _ in }
  ) {
    self.schema = schema
    self.changed = changed
    values = initial
    stored = schema.map { schema in
      // GLib aborts if schema and caller both give a path, or neither does.
      let path = schema.path == nil ? path ?? "/" : nil
      return Object(Owned(taking: g_settings_new_full(schema.pointer, nil, path)))
    }
    stored?.connect("changed", changed)
    // GSettings tells of a change only if the key was read after that connection.
    for key in initial.keys { _ = self[key] }
  }

  /// Whether the values outlast the program.
  public var areKept: Bool {
    guard let stored else { return false }
    var value = GValue()
    g_value_init(&value, copypasta_type_object())
    defer { g_value_unset(&value) }
    g_object_get_property(stored.cast(), "backend", &value)
    // GLib's stand-in if the desktop has no backend, or `GSETTINGS_BACKEND=memory` asks for it.
    let backend = g_value_get_object(&value).map { String(cString: copypasta_type_name($0)) }
    return backend != "GMemorySettingsBackend"
  }

  /// A key's value at present; nil for a key that is not among the initial ones.
  public subscript(key: String) -> Variant? {
    guard let object = object(with: key), let value = g_settings_get_value(object.cast(), key) else {
      return values[key]
    }
    return Variant(taking: value)
  }

  /// Changes a key's value.
  ///
  /// - Returns: false if the value is not of the key's type and range, or the system's administrator has locked the
  ///   key.
  @discardableResult
  public func set(_ key: String, to value: Variant) -> Bool {
    if let object = object(with: key) {
      return schema?.accepts(value, for: key) == true
        && value.withPointer { g_settings_set_value(object.cast(), key, $0) } != 0
    }
    guard let old = values[key] else { return false }
    values[key] = value
    if old != value { changed(key) }
    return true
  }

  /// Takes back what the user set for a key.
  public func reset(_ key: String) {
    if let object = object(with: key) { g_settings_reset(object.cast(), key) }
  }

  /// Whether a key may be changed; false if the system's administrator has locked it.
  public func isWritable(_ key: String) -> Bool {
    object(with: key).map { g_settings_is_writable($0.cast(), key) != 0 } ?? true
  }

  /// The GSettings object if it has a key: GSettings aborts for a key that is not there.
  private func object(with key: String) -> Object? { schema?.has(key) == true ? stored : nil }

  /// Returns when what was changed has been handed over to the desktop, at the end of the program.
  public static func flush() { g_settings_sync() }
}

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

  /// Whether there is such a key.
  func has(_ key: String) -> Bool { g_settings_schema_has_key(pointer, key) != 0 }

  /// The value of a key that the user has not set; nil if there is no such key.
  public func initialValue(of key: String) -> Variant? {
    guard let description = schemaKey(key) else { return nil }
    defer { g_settings_schema_key_unref(description) }
    return g_settings_schema_key_get_default_value(description).map(Variant.init(taking:))
  }

  /// Whether a key exists, and accepts a value, by its type and range.
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
    has(key) ? g_settings_schema_get_key(pointer, key) : nil
  }
}
