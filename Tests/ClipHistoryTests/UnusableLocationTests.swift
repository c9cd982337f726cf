import CSQLite
import Foundation
import TestSupport
import Testing

@testable import ClipHistory

struct UnusableLocationTests {
  let history = TemporaryHistory()

  /// Expects every way to open the history to throw this error.
  private func expect(_ error: StoreError, at place: HistoryLocation? = nil) async throws {
    let location = place ?? history.location
    #expect(throws: error) { try location.isMissing }
    #expect(throws: error) { try HistoryStore(location: location, digest: testDigest) }
    #expect(throws: error) { try HistoryReader(location: location) }
    #expect(throws: error) { try ClipCursor(location: location) }
    #expect(throws: error) { try HistoryCheck(location) }
    #expect(throws: error) { try HistoryImport(location, at: 1) }
    await #expect(throws: error) { try await HistoryRecovery().recover(location) }
  }

  @Test(arguments: ["", "/history.sqlite3"], [true, false])
  func `a symbolic link in place of the history folder or file is refused`(name: String, isDead: Bool)
    async throws
  {
    try await history.record("one")
    let (path, elsewhere) = (history.location.folder + name, history.location.folder + name + "-elsewhere")
    let (before, files) = (try history.bytes(), FileManager.default)
    try files.moveItem(atPath: path, toPath: elsewhere)
    if isDead { try files.removeItem(atPath: elsewhere) }
    try files.createSymbolicLink(atPath: path, withDestinationPath: elsewhere)
    try await expect(.irregular(path: path))
    #expect(files.fileExists(atPath: elsewhere) != isDead)
    if !isDead { #expect(try history.bytes() == before) }
    #expect(try files.destinationOfSymbolicLink(atPath: path) == elsewhere)
  }

  /// Opening a pipe would block forever.
  @Test(arguments: ["", "-wal", "-shm"])
  func `a named pipe in place of a history file is refused`(ending: String) async throws {
    try await history.record("one")
    let path = history.location.database + ending
    try? FileManager.default.removeItem(atPath: path)
    try #require(mkfifo(path, 0o600) == 0)
    try await expect(.irregular(path: path))
  }

  @Test func `a folder in place of the history file is refused`() throws {
    try history.makeFolder()
    mkdir(history.location.database, 0o700)
    let error = StoreError.irregular(path: history.location.database)
    #expect(throws: error) { try history.store() }
    #expect(throws: error) { try history.location.isMissing }
  }

  /// If the folder counted as empty, an empty backup would replace the last good backup.
  @Test func `a history folder that cannot be examined causes an error and does not count as empty`()
    async throws
  {
    try await history.record("one")
    let folder = history.location.folder
    let loop = folder + "/loop"
    try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
    for (path, code) in [
      (loop + "/copypasta", ELOOP), (history.location.database + "/copypasta", ENOTDIR),
      (history.location.database, ENOTDIR),
      (folder + "/" + String(repeating: "n", count: 300), ENAMETOOLONG),
    ] {
      try await expect(.folderUnusable(path: path, errno: code), at: HistoryLocation(folder: path))
    }
    #expect(try HistoryLocation(folder: folder + "/none").isMissing)
  }

  /// SQLite limits paths to 512 bytes.
  @Test func `opening a history throws if its path is too long for SQLite`() async throws {
    var folder = history.location.folder
    while folder.utf8.count < 600 { folder += "/" + String(repeating: "n", count: 100) }
    #expect(throws: StoreError.folderUnusable(path: folder, errno: ENAMETOOLONG)) {
      try HistoryStore(location: HistoryLocation(folder: folder), digest: testDigest)
    }
  }

  @Test func `opening a history throws if the file of a finished recovery is unreadable`() async throws {
    try await history.record("one")
    try FileManager.default.removeItem(atPath: history.location.database)
    let recovery = history.location.finishedRecovery
    try FileManager.default.createSymbolicLink(atPath: recovery, withDestinationPath: recovery)
    let error = StoreError.folderUnusable(path: history.location.folder, errno: ELOOP)
    #expect(throws: error) { try history.location.isMissing }
    #expect(throws: error) { try history.store() }
    #expect(throws: error) { try ClipCursor(location: history.location) }
    #expect(history.files == [], "no new history is begun beside it")
  }

  /// A recovery would set the history aside and replace it with an empty history.
  @Test(.enabled(if: Requirement.restrictedUser.isMet, "\(Requirement.restrictedUser)"))
  func `a damaged history that is not readable is not recovered`() async throws {
    await #expect(processExitsWith: .success) {
      let history = TemporaryHistory()
      try await history.record("one")
      history.markDamaged()
      chmod(history.location.database, 0)
      try TemporaryHistory.becomeOwner(of: [history])
      let error = StoreError.folderUnusable(path: history.location.folder, errno: EACCES)
      await #expect(throws: error) { try await history.recovered() }
      chmod(history.location.database, 0o600)
      #expect(try await history.recovered().clipCount == 1)
    }
  }

  /// On such a file system, SQLite reports only that the locks are taken.
  @Test func `opening a history throws on a file system without locks`() async throws {
    await #expect(processExitsWith: .success) {
      let history = TemporaryHistory()
      try await history.record("one")
      let vfs = try #require(sqlite3_vfs_find(nil))
      let fails: @convention(c) (Int32, Int32, UnsafeMutableRawPointer?) -> Int32 = { _, command, _ in
        guard command == F_SETLK else { return 0 }
        errno = ENOLCK
        return -1
      }
      _ = vfs.pointee.xSetSystemCall(vfs, "fcntl", unsafeBitCast(fails, to: sqlite3_syscall_ptr.self))
      let error = StoreError.noLocks(path: history.location.database)
      #expect(throws: error) { try history.store() }
      #expect(throws: error) { try history.reader() }
      #expect(throws: error) { try ClipCursor(location: history.location) }
      _ = vfs.pointee.xSetSystemCall(vfs, "fcntl", nil)
      #expect(try await history.store().allIDs() == [1])
    }
  }

  /// Some FUSE file systems cannot map a file into memory that programs share.
  @Test func `a history on a file system without shared memory can be read`() async throws {
    await #expect(processExitsWith: .success) {
      let history = TemporaryHistory()
      try await history.record("one", "two")
      let vfs = try #require(sqlite3_vfs_find(nil))
      let fails:
        @convention(c) (UnsafeMutableRawPointer?, Int, Int32, Int32, Int32, Int) -> UnsafeMutableRawPointer? =
          {
            _, _, _, _, _, _ in
            errno = ENODEV
            return UnsafeMutableRawPointer(bitPattern: -1)
          }
      _ = vfs.pointee.xSetSystemCall(vfs, "mmap", unsafeBitCast(fails, to: sqlite3_syscall_ptr.self))
      let error = StoreError.noSharedMemory(path: history.location.database)
      let store = try history.store()
      #expect(store.initialAccess == .readOnly(error))
      #expect(try await store.text(of: 1) == ClipText("one"))
      await #expect(throws: error) { try await store.add("three") }
      #expect(try history.previews() == ["two", "one"])
      do {
        let clips = try ClipCursor(location: history.location)
        #expect(try clips.next()?.id == 1 && clips.next()?.id == 2 && clips.next() == nil)
      }
      #expect(throws: error) { try HistoryImport(history.location, at: 1) }
      _ = vfs.pointee.xSetSystemCall(vfs, "mmap", nil)
      #expect(await store.open() == .readWrite)
      #expect(try await store.add("three").id == 3)
      await store.close()
    }
  }

  /// Computers may share a home folder on NFS, but only programs on the same computer share the index of SQLite's log.
  @Test func `locking a history that is open on another computer throws`() async throws {
    try await history.record("one")
    let location = history.location
    var here = [try HostLock(location, host: 4711), try HostLock(location, host: 4711)]
    for elsewhere in [1, 4710, 4712, 1 << 39] {
      #expect(throws: StoreError.openElsewhere) { try HostLock(location, host: elsewhere) }
    }
    here.removeFirst()
    #expect(throws: StoreError.openElsewhere) { try HostLock(location, host: 1) }
    here = []
    #expect(try HostLock(location, host: 1) != nil)
  }

  @Test func `a history file that ends in a hole of 10 GB can be opened`() async throws {
    try await history.record("one")
    #expect(truncate(history.location.database, 10 << 30) == 0)
    let store = try history.store()
    try await store.add("two")
    #expect(try await store.allIDs() == [1, 2])
    #expect(try HistoryCheck(history.location).clipCount == 2)
  }
}
