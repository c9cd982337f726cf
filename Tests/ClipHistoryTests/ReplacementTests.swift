import Foundation
import Testing

@testable import ClipHistory

struct ReplacementTests {
  let history = TemporaryHistory()

  /// What another program removes, and whether it puts another history in its place.
  enum Removal: CaseIterable { case folder, files, filesForOthers }

  @Test(arguments: Removal.allCases)
  func `writes throw after the history or its folder was removed or replaced`(_ removal: Removal) async throws
  {
    let other = TemporaryHistory()
    try await other.record("the other's")
    let (store, reader) = (try history.store(), try history.reader())
    for string in ["one", "two"] { try await store.add(string) }
    let deleted = try #require(try await store.delete(2))
    #expect(!reader.isReplaced)
    for path in removal == .folder ? [history.location.folder] : history.files {
      try FileManager.default.removeItem(atPath: path)
    }
    if removal == .filesForOthers {
      try FileManager.default.moveItem(atPath: other.location.database, toPath: history.location.database)
    }
    #expect(reader.isReplaced)
    #expect(try reader.newestPage(limit: 9).map(\.preview) == ["one"], "it goes on showing what it has")
    let text = try ClipText("lost")
    await #expect(throws: StoreError.replaced) { try await store.record(text, at: 1) }
    await #expect(throws: StoreError.replaced) {
      try await store.recordExplicitly(text, at: 1, fromClipboard: true)
    }
    await #expect(throws: StoreError.replaced) { try await store.setLastCaptured(text) }
    await #expect(throws: StoreError.replaced) { try await store.delete(1) }
    await #expect(throws: StoreError.replaced) { try await store.restore(deleted) }
    await #expect(throws: StoreError.replaced) { try await store.deleteAll() }
    #expect(try await store.text(of: 1) == ClipText("one"), "what is shown can still be copied")
    let next = try history.store()
    try await next.add("from then on")
    // Closing the old store must not remove the log of the new store.
    await store.close()
    try await next.add("and on")
    let others = removal == .filesForOthers ? ["the other's"] : []
    #expect(try history.previews() == ["and on", "from then on"] + others)
  }

  /// Rows that were written to a removed log would be lost by a crash.
  @Test(arguments: [["-wal"], ["-shm"], ["-wal", "-shm"]])
  func `writes throw after the log was removed, and reopening keeps everything`(_ removed: [String])
    async throws
  {
    let (store, reader) = (try history.store(), try history.reader())
    for string in ["one", "two"] { try await store.add(string) }
    try await store.delete(2)
    #expect(!reader.isReplaced)
    for end in removed { unlink(history.location.database + end) }
    #expect(reader.isReplaced)
    await #expect(throws: StoreError.replaced) { try await store.add("three") }
    // The window closes the store before its reader.
    await store.close()
    reader.close()
    let copy = try history.snapshot()
    #expect(try copy.previews() == ["one"])
    try await history.store().add("three")
    #expect(try history.previews() == ["three", "one"])
    #expect(try history.isSound())
  }
}
