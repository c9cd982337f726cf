import Foundation

/// A folder that is removed with its last reference.
public final class TemporaryFolder: Sendable {
  /// The folder's path.
  public let path: String

  /// Makes an empty folder.
  public init() throws {
    path =
      FileManager.default.temporaryDirectory.appendingPathComponent("copypasta-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  /// Writes a file into the folder.
  public func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path + "/" + name))
  }

  /// Makes a subfolder, with its parents.
  public func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: path + "/" + name, withIntermediateDirectories: true)
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: path) } catch {
      print("\(path) is still there: \(error)")
    }
  }
}
