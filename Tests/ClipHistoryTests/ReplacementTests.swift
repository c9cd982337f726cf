import Foundation
import Testing

@testable import ClipHistory

struct ReplacementTests {
  let history = TemporaryHistory()

  private func expectReplaced(_ store: HistoryStore, _ deleted: DeletedClip) async throws {
    let text = try ClipText("lost")
    await #expect(throws: StoreError.replaced) { try await store.record(text, at: 1) }
    await #expect(throws: StoreError.replaced) {
      try await store.recordExplicitly(text, at: 1, fromClipboard: true)
    }
    await #expect(throws: StoreError.replaced) { try await store.noteCopied(text) }
    await #expect(throws: StoreError.replaced) { try await store.delete(1) }
    await #expect(throws: StoreError.replaced) { try await store.restore(deleted) }
    await #expect(throws: StoreError.replaced) { try await store.deleteAll() }
    #expect(try await store.text(of: 1) == ClipText("one"), "what is shown can still be copied")
  }

  private func filled() async throws -> (HistoryStore, HistoryReader, DeletedClip) {
    let store = try history.store()
    try await store.add("one")
    let clip = try await store.add("two")
    let deleted = try #require(try await store.delete(clip.id))
    return (store, try history.reader(), deleted)
  }

  @Test(arguments: [true, false])
  func `writes throw after the history or its folder was removed`(isFolder: Bool) async throws {
    let (store, reader, deleted) = try await filled()
    #expect(!reader.isReplaced)
    for path in isFolder ? [history.location.folder] : history.files {
      try FileManager.default.removeItem(atPath: path)
    }
    #expect(reader.isReplaced)
    #expect(try reader.newestPage(limit: 9).map(\.preview) == ["one"], "it goes on showing what it has")
    try await expectReplaced(store, deleted)
    await store.close()
    try await history.store().add("from then on")
    #expect(try history.previews() == ["from then on"])
  }

  /// Rows that were written to a removed log would be lost by a crash.
  @Test(arguments: [["-wal"], ["-shm"], ["-wal", "-shm"]])
  func `writes throw after the log was removed, and reopening keeps everything`(_ removed: [String])
    async throws
  {
    let (store, reader, _) = try await filled()
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

  @Test func `writes throw after the history was replaced by another history`() async throws {
    let other = TemporaryHistory()
    try await other.record("the other's")
    let (store, reader, deleted) = try await filled()
    for file in history.files { try FileManager.default.removeItem(atPath: file) }
    try FileManager.default.moveItem(atPath: other.location.database, toPath: history.location.database)
    #expect(reader.isReplaced)
    try await expectReplaced(store, deleted)
    let next = try history.store()
    try await next.add("from then on")
    // Closing the old store must not remove the log of the new store.
    await store.close()
    try await next.add("and on")
    #expect(try history.previews() == ["and on", "from then on", "the other's"])
  }
}
