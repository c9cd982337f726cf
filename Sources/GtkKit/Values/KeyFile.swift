import CGtk
import Glibc

/// Small settings in a file of groups and keys, the format of desktop files.
public struct KeyFile {
  private let path: String
  private let group: String

  /// Refers to one group of a file, which need not exist.
  public init(path: String, group: String) {
    self.path = path
    self.group = group
  }

  /// The numbers that the file holds under these keys; a key that is missing or unreadable is left out.
  public func integers(_ keys: [String]) -> [String: Int] {
    let file = g_key_file_new()
    defer { g_key_file_unref(file) }
    guard g_key_file_load_from_file(file, path, G_KEY_FILE_NONE, nil) != 0 else { return [:] }
    var values: [String: Int] = [:]
    for key in keys where g_key_file_has_key(file, group, key, nil) != 0 {
      var error: UnsafeMutablePointer<GError>?
      let value = g_key_file_get_integer(file, group, key, &error)
      if error == nil { values[key] = Int(value) } else { g_clear_error(&error) }
    }
    return values
  }

  /// Replaces the file by one with these numbers; its folder is made where it is missing.
  public func write(_ values: [(key: String, value: Int)]) throws(GLibError) {
    let file = g_key_file_new()
    defer { g_key_file_unref(file) }
    for (key, value) in values { g_key_file_set_integer(file, group, key, gint(clamping: value)) }
    let folder = g_path_get_dirname(path)
    defer { g_free(folder) }
    g_mkdir_with_parents(folder, 0o700)
    var error: UnsafeMutablePointer<GError>?
    guard g_key_file_save_to_file(file, path, &error) != 0 else { throw GLibError(taking: error) }
  }
}
