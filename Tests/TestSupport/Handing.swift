import Foundation

/// Passes strings to an exit test, which cannot capture values before Swift 6.3.
///
/// The strings are written to a file. Its name contains `key` and the id of this process, the parent of the exit test's
/// process. Tests that may run at the same time need different keys.
public func handing(_ words: String..., as key: String, to body: () async throws -> Void) async throws {
  let file = handingFile(of: getpid(), key: key)
  try JSONEncoder().encode(words).write(to: file)
  defer { try? FileManager.default.removeItem(at: file) }
  try await body()
}

/// Returns the strings that were passed to this exit test.
public func handed(_ key: String) throws -> [String] {
  try JSONDecoder().decode([String].self, from: Data(contentsOf: handingFile(of: getppid(), key: key)))
}

private func handingFile(of process: pid_t, key: String) -> URL {
  FileManager.default.temporaryDirectory.appendingPathComponent("copypasta-handed-\(process)-\(key)")
}
