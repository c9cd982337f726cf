import Foundation
import TestSupport
import Testing

@testable import ClipHistory

@Suite("Nothing is kept of a history that was let go of")
struct StoreLifetimeTests {
  let history: TemporaryHistory

  init() throws {
    history = try TemporaryHistory()
  }

  /// The open descriptors of this process that lead to this history's files.
  private func descriptors() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { descriptor in
      var target = [CChar](repeating: 0, count: 4096)
      guard readlink("/proc/self/fd/\(descriptor)", &target, target.count - 1) > 0 else { return false }
      let path = String(decoding: target.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      return path.hasPrefix(history.location.folder)
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
      other = try ForeignConnection(history.location.database)
      other.run("BEGIN")
      _ = try other.rows("SELECT 1 FROM clip")
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
    try await history.store().close()
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
