import Foundation
import TestSupport

/// A history without clips, as the program creates it at its first start; made once for all tests.
enum EmptyHistory {
  private static let files = Task {
    // Do not use `VirtualDesktop.with`: the tests that wait for this history may hold all its slots.
    let desktop = try await VirtualDesktop.start()
    let app = try await CopyPasta.launch(on: desktop)
    guard try await app.stop() == .code(0) else { throw TestSupportError("no history: \(app.errors)") }
    let folder = URL(fileURLWithPath: app.databasePath).deletingLastPathComponent()
    var files: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      files[name] = try Data(contentsOf: folder.appending(path: name))
    }
    try await desktop.stop()
    return files
  }

  /// Writes the history's files into a new folder, with the permissions that the program uses.
  static func make(at folder: String) async throws {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    for (name, content) in try await files.value {
      let path = folder + "/" + name
      guard
        FileManager.default.createFile(
          atPath: path, contents: content, attributes: [.posixPermissions: 0o600])
      else { throw TestSupportError("cannot write \(path)") }
    }
  }
}
