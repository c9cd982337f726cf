import Foundation
import TestSupport
import Testing

@testable import ClipHistory

@Suite(.tags(.keepsPrivate)) struct PermissionTests {
  let history = TemporaryHistory()

  @Test func `the history is private to its user with any umask`() async throws {
    await #expect(processExitsWith: .success) {
      for mask in [0, 0o022, 0o077] as [mode_t] {
        umask(mask)
        let history = TemporaryHistory()
        let store = try history.store()
        try await store.add("one")
        try history.expectPrivate()
        await store.close()
      }
    }
  }

  @Test(arguments: [(0o666, 0o777), (0o640, 0o750), (0o604, 0o705)] as [(mode_t, mode_t)])
  func `opening the history removes other users' permissions`(file mode: mode_t, folder folderMode: mode_t)
    async throws
  {
    let first = try history.store()
    try await first.add("one")
    #expect(history.files.count == 3)
    for file in history.files { chmod(file, mode) }
    chmod(history.location.folder, folderMode)
    let second = try history.store()
    try history.expectPrivate()
    await first.close()
    await second.close()
  }

  /// A backup on a read-only disk may have a log, but not the log's index.
  @Test(.enabled(if: Requirement.restrictedUser.isMet, "\(Requirement.restrictedUser)"))
  func `a read-only history is readable, with and without a log, and writable after chmod`() async throws {
    await #expect(processExitsWith: .success) {
      let histories = [try await filledHistory(withLog: false), try await filledHistory(withLog: true)]
      for history in histories {
        for file in history.files { chmod(file, 0o400) }
        chmod(history.location.folder, 0o500)
      }
      try TemporaryHistory.becomeOwner(of: histories)
      for history in histories {
        try await expectReadable(history, obstacle: .readOnly)
        let (store, reader) = (try history.store(), try history.reader())
        await #expect(throws: StoreError.readOnly) { try await store.deleteAll() }
        for file in history.files { chmod(file, 0o600) }
        chmod(history.location.folder, 0o700)
        try await store.add("next")
        #expect(try reader.newestPage(limit: 9).map(\.preview) == ["next", "two", "one"])
        await store.close()
      }
    }
  }
}

extension TemporaryHistory {
  /// Expects the folder and files of an open history to be private to their user.
  fileprivate func expectPrivate() throws {
    #expect(files.count == 3)
    for path in files + [location.folder] {
      #expect(try permissions(of: path) == (path == location.folder ? 0o700 : 0o600), "\(path)")
    }
  }
}
