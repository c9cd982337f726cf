import CGtk
import Glibc

/// A group of keys in a settings file with the format of desktop files.
public struct KeyFile {
  public let path: String
  private let group: String

  /// Refers to a group of a file; neither has to exist.
  public init(path: String, group: String) {
    self.path = path
    self.group = group
  }

  /// Returns the integers stored under these keys; omits keys that are missing or invalid.
  public func integers(_ keys: [String]) -> [String: Int] {
    keys.reduce(into: [:]) { $0[$1] = string($1).flatMap { Int32($0) }.map(Int.init) }
  }

  /// Returns the string stored under a key; nil if it is missing.
  public func string(_ key: String) -> String? {
    let file = g_key_file_new()
    defer { g_key_file_unref(file) }
    guard g_key_file_load_from_file(file, path, copypasta_G_KEY_FILE_NONE, nil) != 0,
      let value = g_key_file_get_string(file, group, key, nil)
    else { return nil }
    return String(taking: value)
  }

  public var exists: Bool { access(path, F_OK) == 0 }

  /// Replaces the file with a file that contains these integers; creates its folder if necessary.
  ///
  /// - Parameter keepingOthers: whether to keep the file's other keys.
  public func write(_ values: [(key: String, value: Int)], keepingOthers: Bool = false) throws(GLibError) {
    try write(
      strings: values.map { (key: $0.key, value: String($0.value)) }, keepingOthers: keepingOthers)
  }

  /// Replaces the file with a file that contains these strings; creates its folder if necessary.
  ///
  /// The replacement is atomic for programs that read the file.
  ///
  /// - Parameter keepingOthers: whether to keep the file's other keys.
  public func write(
    strings values: [(key: String, value: String)], keepingOthers: Bool = false
  ) throws(GLibError) {
    let file = g_key_file_new()
    defer { g_key_file_unref(file) }
    // An unreadable file is replaced.
    if keepingOthers { g_key_file_load_from_file(file, path, copypasta_G_KEY_FILE_NONE, nil) }
    for (key, value) in values { g_key_file_set_string(file, group, key, value) }
    g_mkdir_with_parents(String(taking: g_path_get_dirname(path)), 0o700)
    var error: UnsafeMutablePointer<GError>?
    guard g_key_file_save_to_file(file, path, &error) != 0 else { throw GLibError(taking: error) }
  }

  /// Removes the file, if it exists.
  public func remove() throws(GLibError) {
    let file = g_file_new_for_path(path)
    defer { g_object_unref(UnsafeMutableRawPointer(file)) }
    var error: UnsafeMutablePointer<GError>?
    guard exists, g_file_delete(file, nil, &error) == 0 else { return }
    throw GLibError(taking: error)
  }
}
