import Foundation
import TestSupport
import Testing

@testable import ClipHistory

@Suite("The history is for its user alone")
struct PermissionTests {
  let history: TemporaryHistory

  init() throws {
    history = try TemporaryHistory()
  }

  private func permissions(of path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require((attributes[.posixPermissions] as? NSNumber)?.intValue)
  }

  @Test(.serialized, arguments: [0, 0o022, 0o077])
  func `whatever the umask`(mask: Int) async throws {
    try await handing(history.location.folder, "\(mask)", as: "umask") {
      await #expect(processExitsWith: .success) {
        let words = try handed("umask")
        let (folder, mask) = (words[0], try #require(mode_t(words[1])))
        umask(mask)
        let store = try HistoryStore(location: HistoryLocation(folder: folder), digest: testDigest)
        try await store.add("one")
        _exit(0)  // Without closing, so that the log stays.
      }
    }
    #expect(history.files.count == 3)
    #expect(try history.files.map(permissions) == [0o600, 0o600, 0o600])
    #expect(try permissions(of: history.location.folder) == 0o700)
  }

  @Test(arguments: [(0o666, 0o777), (0o640, 0o750), (0o604, 0o705)] as [(mode_t, mode_t)])
  func `also where it was not before`(file mode: mode_t, folder folderMode: mode_t) async throws {
    let first = try history.store()
    try await first.add("one")
    #expect(history.files.count == 3)
    for file in history.files { chmod(file, mode) }
    chmod(history.location.folder, folderMode)
    let second = try history.store()
    #expect(try history.files.map(permissions) == [0o600, 0o600, 0o600])
    #expect(try permissions(of: history.location.folder) == 0o700)
    await first.close()
    await second.close()
  }

  @Test func `and can be read where it cannot be written, and written as soon as it can`() async throws {
    let store = try history.store()
    try await store.add("one")
    await store.close()
    try await handing(history.location.folder, as: "read only") {
      await #expect(processExitsWith: .success) {
        let folder = try handed("read only")[0]
        let location = HistoryLocation(folder: folder)
        chmod(location.database, 0o400)
        chmod(folder, 0o500)
        if geteuid() == 0 {  // Root may write everywhere.
          chmod(URL(filePath: folder).deletingLastPathComponent().path, 0o755)
          for path in [folder, location.database] { chown(path, 65534, 65534) }
          setuid(65534)
        }
        let store = try HistoryStore(location: location, digest: testDigest)
        let reader = try HistoryReader(location: location)
        #expect(try reader.newestPage(limit: 5).map(\.preview) == ["one"])
        #expect(try await store.text(of: 1) == ClipText("one"))
        #expect(try await store.allIDs() == [1])
        await #expect(throws: StoreError.readOnly) { try await store.add("two") }
        await #expect(throws: StoreError.readOnly) { try await store.delete(1) }
        await #expect(throws: StoreError.readOnly) { try await store.deleteAll() }

        // Once it can be written, the same store writes, and the same reader sees it.
        chmod(folder, 0o700)
        chmod(location.database, 0o600)
        try await store.add("two")
        #expect(try reader.newestPage(limit: 5).map(\.preview) == ["two", "one"])
        await store.close()
      }
    }
    chmod(history.location.folder, 0o700)
  }

  @Test func `and is refused where there can be none`() throws {
    let file = history.location.folder
    try FileManager.default.createDirectory(
      atPath: URL(filePath: file).deletingLastPathComponent().path, withIntermediateDirectories: true)
    try Data().write(to: URL(filePath: file))
    #expect(throws: StoreError.folderUnusable(path: file, errno: ENOTDIR)) { try history.store() }
    let below = HistoryLocation(folder: file + "/below")
    #expect(throws: StoreError.folderUnusable(path: file + "/below", errno: ENOTDIR)) {
      try HistoryStore(location: below, digest: testDigest)
    }
  }
}
