import Foundation
import TestSupport
import Testing

/// The files on disk as other programs see them.
@Suite struct HistoryTests {
  @Test func `the database is private to the user, has the documented columns and refuses updates`()
    async throws
  {
    try await Scene.run { scene in
      let before = Int64(Date().timeIntervalSince1970 * 1_000_000)
      try await scene.capture(String(repeating: "é", count: 200))
      let long = String(repeating: "ab é🍝", count: 500)
      try await scene.capture(long)
      let after = Int64(Date().timeIntervalSince1970 * 1_000_000)
      let clips = try await scene.history.clips()
      #expect(clips.map(\.byteCount) == [4500, 400])
      #expect(clips.allSatisfy { (before...after).contains($0.capturedAt) })
      // Only a long text has a stored preview, whose length is limited.
      #expect(clips.last?.preview == nil)
      let preview = try #require(clips.first?.preview)
      #expect(!preview.isEmpty && preview.count <= 400)
      #expect(long.hasPrefix(String(decoding: preview, as: UTF8.self)))

      let names = try scene.folderEntries()
      #expect(names.contains("history.sqlite3") && names.contains("history.sqlite3-wal"))
      #expect(try permissions(of: scene.folder) == 0o700)
      for name in names { #expect(try permissions(of: scene.folder + "/" + name) == 0o600, "\(name)") }

      for change in ["text = 'changed'", "captured_at = 0", "id = 7"] {
        let result = try await scene.desktop.run(["sqlite3", scene.history.path, "UPDATE clip SET \(change)"])
        #expect(result.exit != .code(0))
        #expect(result.errors.contains("immutable"))
      }
      #expect(try await scene.history.clips().map(\.text) == clips.map(\.text))
    }
  }

  @Test func `a deleted text is removed from every file`() async throws {
    try await Scene.run { scene in
      let secret = "Zq7-deleted-and-gone-"
      try await scene.capture("kept below")
      try await scene.capture(secret + Scene.text(ofSize: 20_000) + secret)
      try await scene.capture("kept above")
      #expect(try scene.filesContain(secret))
      try await scene.focusNewestRow()
      try await scene.desktop.press("Down", "Delete")
      try await waitUntil("the row deleted") { try await scene.history.count() == 2 }
      // A program that reads at the same time, as this test does, may delay the removal.
      #expect(try await eventually { try !scene.filesContain(secret) })
      #expect(try scene.filesContain("kept above") && scene.filesContain("kept below"))
      try await scene.end()
      #expect(try !scene.filesContain(secret))
    }
  }

  private func permissions(of path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(attributes[.posixPermissions] as? NSNumber).intValue
  }
}

extension Scene {
  fileprivate var folder: String { desktop.home.dataHome + "/copypasta" }

  fileprivate func folderEntries() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder)
  }

  /// Whether any file in the history's folder contains `text`.
  fileprivate func filesContain(_ text: String) throws -> Bool {
    try folderEntries().contains { name in
      // A file may have been removed since it was listed.
      guard let content = FileManager.default.contents(atPath: folder + "/" + name) else { return false }
      return content.contains(bytesOf: text)
    }
  }
}
