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

  @Test func `by one that could not be opened`() async throws {
    try history.plant(Data("not a database at all, not at all".utf8))
    #expect(throws: StoreError.damaged) { try history.store() }
    #expect(throws: StoreError.damaged) { try history.reader() }
    #expect(try descriptors() == 0)
  }
}
