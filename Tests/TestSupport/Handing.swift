import Foundation

/// Hands words to an exit test, which captures nothing before Swift 6.3.
///
/// The words lie in a file that is named after this process, the parent of the exit test's, and after `key`: no two
/// tests that may run at once have the same one.
public func handing(_ words: String..., as key: String, to body: () async throws -> Void) async throws {
  let file = handingFile(of: getpid(), key: key)
  try JSONEncoder().encode(words).write(to: file)
  defer { try? FileManager.default.removeItem(at: file) }
  try await body()
}

/// The words that were handed to this exit test.
public func handed(_ key: String) throws -> [String] {
  try JSONDecoder().decode([String].self, from: Data(contentsOf: handingFile(of: getppid(), key: key)))
}

private func handingFile(of process: pid_t, key: String) -> URL {
  FileManager.default.temporaryDirectory.appendingPathComponent("copypasta-handed-\(process)-\(key)")
}
