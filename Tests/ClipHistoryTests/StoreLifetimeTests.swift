import Foundation
import TestSupport
import Testing

@testable import ClipHistory

@Suite("Nothing is kept of a history that was let go of")
struct StoreLifetimeTests {
  let history = TemporaryHistory()

  /// The open descriptors of this process that lead to this history's files.
  private func descriptors() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
      // The listing's own descriptor is gone by now.
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
      return target?.hasPrefix(history.location.folder) == true
    }
  }

  @Test func `by a store`() async throws {
    weak var released: HistoryStore?
    do {
      let store = try history.store()
      released = store
      let clip = try await store.add("one")
      try await store.delete(clip.id)
      #expect(try descriptors() > 0)
    }
    #expect(try await eventually { try released == nil && descriptors() == 0 })
  }

  @Test func `by a store that is to try again later`() async throws {
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

  @Test func `by a store that was closed`() async throws {
    let store = try history.store()
    try await store.add("one")
    await store.close()
    #expect(try descriptors() == 0)
  }

  @Test func `by a reader`() async throws {
    weak var released: HistoryReader?
    try await history.record()
    do {
      let reader = try history.reader()
      released = reader
      #expect(try reader.newestPage(limit: 5) == [])
      #expect(try descriptors() > 0)
    }
    #expect(released == nil)
    #expect(try descriptors() == 0)
  }

  /// The lock is free for an instant each time that a start has looked whether it is alone.
  @Test func `by a start that an import overtakes`() async throws {
    try await history.record("one")
    let lock = try FolderLock(history.location)
    let folder = history.location.folder
    var importing: Int32 = -1
    #expect(throws: StoreError.locked) {
      try lock.withExclusiveLock {
        do { importing = try overtake(lockOf: folder) } catch { Issue.record(error) }
        return true
      }
    }
    close(importing)
    #expect(try !lock.withExclusiveLock { false })
  }

  @Test func `by one that could not be opened`() async throws {
    try history.plant(Data("not a database at all, not at all".utf8))
    #expect(throws: StoreError.damaged) { try history.store() }
    #expect(throws: StoreError.damaged) { try history.reader() }
    #expect(try descriptors() == 0)
  }
}

/// Takes a folder's lock from this process's lock on it, as another program does in the instant between two locks.
private func overtake(lockOf folder: String) throws -> Int32 {
  for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
    // The listing's own descriptor is gone by now.
    let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name)
    guard target == folder, let descriptor = Int32(name) else { continue }
    try #require(flock(descriptor, LOCK_UN) == 0)
  }
  let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
  return descriptor
}
