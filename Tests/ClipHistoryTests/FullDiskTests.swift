import Foundation
import Testing

@testable import ClipHistory

@Suite("On a full disk nothing is lost, and what fails says so")
struct FullDiskTests {
  @Test func `at a capture, a deletion, an undo or a clearing`() async throws {
    await #expect(processExitsWith: .success) {
      TestFiles.install()
      let history = TemporaryHistory()
      let store = try history.store()
      let reader = try history.reader()
      for string in ["one", "two"] { try await store.add(string) }
      let deleted = try #require(try await store.delete(2))
      TestFiles.limitRoom(to: 0)
      await #expect(throws: StoreError.diskFull) { try await store.add("three") }
      let large = String(repeating: "x", count: 100_000)
      await #expect(throws: StoreError.diskFull) { try await store.add(large) }
      await #expect(throws: StoreError.diskFull) { try await store.delete(1) }
      await #expect(throws: StoreError.diskFull) { try await store.restore(deleted) }
      await #expect(throws: StoreError.diskFull) { try await store.deleteAll() }
      await #expect(throws: StoreError.diskFull) { try await store.noteCopied(try ClipText("one")) }
      #expect(try reader.newestPage(limit: 9).map(\.preview) == ["one"])
      #expect(try await store.text(of: 1) == ClipText("one"))

      TestFiles.limitRoom(to: nil)
      try await store.restore(deleted)
      try await store.add("three")
      #expect(try reader.newestPage(limit: 9).map(\.preview) == ["three", "two", "one"])
      await store.close()
      #expect(try history.isSound())
    }
  }

  /// The log has what was acknowledged, the database cannot take it.
  @Test func `as the log is moved into the database`() async throws {
    await #expect(processExitsWith: .success) {
      TestFiles.install()
      let history = TemporaryHistory()
      let store = try history.store(.init(readers: 0, retries: []))
      TestFiles.limitRoom(to: 0, of: "history.sqlite3")
      for number in 1...20 { try await store.add(String(repeating: "Xq7!vanish \(number) ", count: 400)) }
      for id in 1...19 { #expect(try await store.delete(Int64(id)) != nil) }
      #expect(try history.contains("Xq7!vanish 19 "), "the log still has it")
      #expect(try history.reader().newestPage(limit: 50).map(\.id) == [20])

      TestFiles.limitRoom(to: nil)
      try await store.add("there is room again")
      #expect(try !history.contains("Xq7!vanish 19 "))
      await store.close()
      #expect(try history.reader().newestPage(limit: 50).map(\.id) == [21, 20])
    }
  }

  @Test func `at a rescue, which leaves everything as it is`() async throws {
    await #expect(processExitsWith: .success) {
      TestFiles.install()
      let history = TemporaryHistory()
      try await history.record((1...50).map { String(repeating: "clip \($0) ", count: 50) })
      history.markDamaged()
      let before = try history.bytes()
      TestFiles.limitRoom(to: 30_000)
      await #expect(throws: StoreError.diskFull) { try await history.rescued() }
      #expect(try history.bytes() == before)
      TestFiles.limitRoom(to: nil)
      #expect(try await history.rescued().clipCount == 50)
    }
  }
}
