import Foundation
import TestSupport
import Testing

@testable import ClipHistory

struct StoreLifetimeTests {
  let history = TemporaryHistory()

  /// Whether this process has this history's folder or one of its files open.
  private func isOpen() throws -> Bool { try openFiles().contains { $0.hasPrefix(history.location.folder) } }

  @Test func `released stores and readers, and closed stores, hold no file descriptor`() async throws {
    weak var released: HistoryStore?
    weak var releasedReader: HistoryReader?
    let closed = try history.store()
    do {
      let (store, reader) = (try history.store(), try history.reader())
      (released, releasedReader) = (store, reader)
      let clip = try await store.add("one")
      try await store.delete(clip.id)
      #expect(try reader.newestPage(limit: 5) == [])
    }
    #expect(releasedReader == nil)
    #expect(try isOpen(), "the other store's")
    await closed.close()
    #expect(try await eventually { try released == nil && !isOpen() })
  }

  @Test func `a history store with a pending retry can be released`() async throws {
    weak var released: HistoryStore?
    let other: ForeignConnection
    do {
      let store = try history.store(HistoryStore.LockTimeouts(readers: 0, retries: [.seconds(3600)]))
      released = store
      let clip = try await store.add("one")
      other = try history.foreignReader()
      try await store.delete(clip.id)
    }
    #expect(try await eventually { released == nil })
    other.run("COMMIT")
  }

  @Test func `an open history is not imported into, removed or recovered`() async throws {
    let store = try history.store()
    try await store.add("one")
    #expect(throws: StoreError.locked) { try HistoryImport(history.location, at: 1) }
    #expect(throws: StoreError.locked) { try history.location.clear() }
    history.markDamaged()
    let before = try history.bytes()
    await #expect(throws: StoreError.locked) { try await HistoryRecovery().recover(history.location) }
    #expect(try history.bytes() == before)
    try await store.add("two")
    #expect(try await store.allIDs() == [1, 2])
  }

  @Test func `opening a file that is not a database leaves no file descriptor open`() async throws {
    try history.plant(Data("not a database at all, not at all".utf8))
    #expect(throws: StoreError.damaged) { try history.store() }
    #expect(throws: StoreError.damaged) { try history.reader() }
    #expect(try !isOpen())
  }

  /// The system drops all locks of a process on a file when the process closes any descriptor of the file.
  @Test(
    .serialized, arguments: ["damaged", "with its log", "with an empty log"])
  func `an open history stays locked when its file is also read directly`(
    _ way: String
  ) async throws {
    let store = try history.store()
    let clip = try await store.add("one")
    // Deleting empties the log.
    if way == "with an empty log" { try await store.delete(clip.id) }
    switch way {
    case "damaged": #expect(try history.salvagingReader().newestPage(limit: 9).count == 1)
    default:
      let location = history.location
      let source = try UnlockedFile(location, database: location.database, withLog: true)
      let reading = try Database(source, path: location.database)
      #expect(try reading.integer("SELECT count(*) FROM clip") == (way == "with an empty log" ? 0 : 1))
    }
    try await handing(history.location.database, as: "a locked file") {
      await #expect(processExitsWith: .success) {
        let descriptor = open(try handed("a locked file")[0], O_RDWR)
        // SQLite's shared lock.
        var lock = flock(
          l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 0x4000_0002, l_len: 510, l_pid: 0)
        #expect(fcntl(descriptor, F_GETLK, &lock) == 0)
        #expect(lock.l_type == Int16(F_RDLCK))
        #expect(lock.l_pid == getppid())
      }
    }
    #expect(try HistoryFolder.size(of: history.location.wal) != nil, "the log was deleted")
    await store.close()
  }

  /// If the locks of the first reader were lost, the other program would remove the log under the open store.
  @Test func `another program cannot remove the log of a history that has become writable`() async throws {
    let crashed = TemporaryHistory()
    let first = try crashed.store()
    try await first.add("one")
    let history = try crashed.snapshot()
    await first.close()
    var pending: FolderLock? = try FolderLock(history.location, alone: true)
    let store = withExtendedLifetime(pending) { HistoryStore(at: history.location, digest: testDigest) }
    #expect(store.initialAccess == .readOnly(.locked))
    let reader = try history.reader()
    pending = nil
    try await waitUntil("the history writable") { await store.open() == .readWrite }
    try await handing(history.location.folder, as: "an open history") {
      await #expect(processExitsWith: .success) {
        let location = HistoryLocation(folder: try handed("an open history")[0])
        let other = try ForeignConnection(location.database)
        #expect(try other.rows("SELECT text FROM clip") == ["one"])
      }
    }
    #expect(history.files.contains(history.location.wal))
    try await store.add("two")
    #expect(try reader.newestPage(limit: 9).map(\.preview) == ["two", "one"])
    reader.close()
    await store.close()
  }
}
