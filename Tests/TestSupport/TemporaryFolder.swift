import Foundation

/// A folder that goes with its last reference.
public final class TemporaryFolder: Sendable {
  /// Where it is.
  public let path: String

  /// Makes the folder, empty.
  public init() throws {
    path =
      FileManager.default.temporaryDirectory.appendingPathComponent("copypasta-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  /// Puts a file into it.
  public func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path + "/" + name))
  }

  /// Makes a folder in it, with those above it.
  public func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: path + "/" + name, withIntermediateDirectories: true)
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: path) } catch {
      print("\(path) is still there: \(error)")
    }
  }
}
