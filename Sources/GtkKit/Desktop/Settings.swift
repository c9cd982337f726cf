import CGtk

/// The user's settings as stateful actions: those of a GSettings schema or, if the schema is not installed, values in
/// memory.
///
/// ```swift
/// let schema = SettingsSchema("org.example.App")
/// let settings = Settings(schema, initially: ["sound": .bool(true)]) { key in print(key, "has changed") }
/// settings.set("sound", to: .bool(false))
/// let control = Switch("sound", of: settings.actions)   // is disabled while an administrator has locked the setting
/// ```
@MainActor
public final class Settings {
  private let schema: SettingsSchema?
  private let stored: Object?
  /// The actions, each named after its key; activating one changes the setting.
  public let actions = ActionGroup()

  /// Opens the settings of a schema, with GSettings' backend.
  ///
  /// - Parameters:
  ///   - schema: nil to keep the values in memory.
  ///   - path: the storage path for a relocatable schema; nil for a schema that defines its own path.
  ///   - initial: all keys, each with the default to use if the schema lacks the key.
  ///   - changed: called with the key of each change, whether by this program or another.
  public init(
    _ schema: SettingsSchema?, at path: String? = nil, initially initial: [String: Variant],
    changed: @escaping @MainActor (_ key: String) -> Void = { _ in }
  ) {
    self.schema = schema
    stored = schema.map { schema in
      // GLib aborts if both the schema and the caller provide a path, or neither does.
      let path = schema.path == nil ? path ?? "/" : nil
      return Object(Owned(taking: g_settings_new_full(schema.pointer, nil, path)))
    }
    for (key, value) in initial {
      let type = value.type == "b" ? nil : g_variant_type_new(value.type)
      defer { g_variant_type_free(type) }
      let action = Object(
        Owned(
          taking: object(with: key).map { g_settings_create_action($0.cast(), key) }
            ?? value.withPointer { g_simple_action_new_stateful(key, type, $0) }))
      withExtendedLifetime(action) { g_action_map_add_action(actions.opaque, action.opaque) }
    }
    actions.connect("action-state-changed", changed)
    // GSettings emits a change only for keys that were read after the handler was connected.
    for key in initial.keys { _ = self[key] }
  }

  /// Whether values persist after the program exits.
  public var areKept: Bool {
    guard let stored else { return false }
    var value = GValue()
    g_value_init(&value, copypasta_type_object())
    defer { g_value_unset(&value) }
    g_object_get_property(stored.cast(), "backend", &value)
    // GLib uses this backend if the desktop has none, or for `GSETTINGS_BACKEND=memory`.
    let backend = g_value_get_object(&value).map { String(cString: copypasta_type_name($0)) }
    return backend != "GMemorySettingsBackend"
  }

  /// A key's current value; nil if the key was not passed to the initialiser.
  public subscript(key: String) -> Variant? {
    g_action_group_get_action_state(actions.opaque, key).map(Variant.init(taking:))
  }

  /// Sets a key's value.
  ///
  /// - Returns: false if the value has the wrong type or range, or if an administrator has locked the key.
  @discardableResult
  public func set(_ key: String, to value: Variant) -> Bool {
    guard self[key]?.type == value.type else { return false }
    value.withPointer { g_action_group_change_action_state(actions.opaque, key, $0) }
    return self[key] == value
  }

  /// Whether a key can be changed; false if an administrator has locked it.
  public func isWritable(_ key: String) -> Bool {
    g_action_group_get_action_enabled(actions.opaque, key) != 0
  }

  /// The value that the user has set for a key of the schema; nil if the key has its default.
  public func userValue(of key: String) -> Variant? {
    object(with: key).flatMap { g_settings_get_user_value($0.cast(), key) }.map(Variant.init(taking:))
  }

  /// Resets a key of the schema to its default; values in memory do not change.
  public func reset(_ key: String) {
    if let object = object(with: key) { g_settings_reset(object.cast(), key) }
  }

  /// Returns the GSettings object if it has the key, because GSettings aborts for unknown keys.
  private func object(with key: String) -> Object? { schema?.has(key) == true ? stored : nil }

  /// Blocks until all changes have been written; call it when the program exits.
  public static func flush() { g_settings_sync() }
}

/// A compiled GSettings schema, which defines the available settings.
@MainActor
public final class SettingsSchema {
  let pointer: OpaquePointer

  /// Looks up a schema in the default locations (`$XDG_DATA_DIRS`, `GSETTINGS_SCHEMA_DIR`); nil if it is not installed.
  public convenience init?(_ id: String) {
    self.init(id, in: g_settings_schema_source_get_default())
  }

  /// Looks up a schema in a folder with a `gschemas.compiled`; nil if the file or the schema is missing.
  public convenience init?(_ id: String, compiledIn folder: String) {
    let source = g_settings_schema_source_new_from_directory(
      folder, g_settings_schema_source_get_default(), 0, nil)
    defer { if let source { g_settings_schema_source_unref(source) } }
    self.init(id, in: source)
  }

  private init?(_ id: String, in source: OpaquePointer?) {
    // `g_settings_new` would abort if the schema is not installed.
    guard let source, let schema = g_settings_schema_source_lookup(source, id, 1) else { return nil }
    pointer = schema
  }

  isolated deinit {
    g_settings_schema_unref(pointer)
  }

  /// Where the values are stored, such as `/org/example/app/`; nil for a relocatable schema.
  public var path: String? { g_settings_schema_get_path(pointer).map { String(cString: $0) } }

  /// The names of all keys, in no particular order.
  public var keys: [String] {
    guard let list = g_settings_schema_list_keys(pointer) else { return [] }
    defer { g_strfreev(list) }
    return strings(in: UnsafeRawPointer(list).assumingMemoryBound(to: UnsafePointer<CChar>?.self))
  }

  func has(_ key: String) -> Bool { g_settings_schema_has_key(pointer, key) != 0 }

  /// Returns the default of a key; nil if the key does not exist.
  public func initialValue(of key: String) -> Variant? {
    guard let description = schemaKey(key) else { return nil }
    defer { g_settings_schema_key_unref(description) }
    return g_settings_schema_key_get_default_value(description).map(Variant.init(taking:))
  }

  private func schemaKey(_ key: String) -> OpaquePointer? {
    // `g_settings_schema_get_key` would abort for an unknown key.
    has(key) ? g_settings_schema_get_key(pointer, key) : nil
  }
}
