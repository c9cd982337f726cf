import Foundation
import Synchronization

/// A folder that is removed with its last reference.
public final class TemporaryFolder: Sendable {
  /// The folder's path.
  public let path: String

  /// Makes an empty folder.
  public init() throws {
    path = try Self.sharedPath()
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

  // What a program or a task that is still ending writes there is removed when the test process ends.
  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Returns the path for a new file that several tests share; it is removed when the test process ends.
  public static func sharedPath() throws -> String {
    "\(try parent.get())/\(count.add(1, ordering: .relaxed).newValue)"
  }

  private static let count = Atomic(0)

  /// The folder of all temporary folders, which is removed when the test process ends, even if that is killed.
  private static let parent = Result {
    let template = strdup(NSTemporaryDirectory() + "copypasta-test.XXXXXX")
    defer { free(template) }
    guard let template, let folder = mkdtemp(template) else {
      throw TestSupportError.system("mkdtemp", code: errno)
    }
    // Let other users pass, because sway refuses to run as root and runs as another user.
    chmod(folder, 0o711)
    try removeAfterUs(String(cString: folder))
    return String(cString: folder)
  }

  /// Starts a process that removes the folder once this process has ended, which closes a pipe between the two.
  ///
  /// It tries repeatedly, because programs that are ending may still write to the folder.
  private static func removeAfterUs(_ path: String) throws {
    let script = #"""
      trap "" HUP INT TERM
      read -r _
      until rm -rf "$0" || [ "$((tries += 1))" -gt 100 ]; do sleep 0.1; done
      """#
    let end = try pipe()
    let silent = open("/dev/null", O_WRONLY | O_CLOEXEC)
    defer {
      close(silent)
      close(end.read)
    }
    _ = try spawn(
      ["/bin/sh", "-c", script, path], environment: ["PATH": "/usr/bin:/bin"], input: end.read,
      output: silent, errors: silent)
  }
}
