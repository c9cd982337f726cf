import Foundation
import Testing

@testable import ClipHistory

@Suite("All clips with their whole texts")
struct WholeClipsTests {
  let history: TemporaryHistory

  init() throws {
    history = try TemporaryHistory()
  }

  private func rest(of clips: WholeClips) throws -> [WholeClip] {
    var found: [WholeClip] = []
    while let clip = try clips.next() { found.append(clip) }
    return found
  }

  @Test func `come oldest first, byte for byte, once`() async throws {
    let store = try history.store()
    let strings = ["one", "e\u{301}\r\n", String(repeating: "large ", count: 100_000), "two"]
    for (time, string) in strings.enumerated() { try await store.add(string, at: Int64(time)) }
    try await store.delete(4)
    let clips = try WholeClips(location: history.location)
    let found = try rest(of: clips)
    #expect(found.map(\.id) == [1, 2, 3] && found.map(\.capturedAt) == [0, 1, 2])
    #expect(found.map(\.text) == (try strings.dropLast().map { try ClipText($0) }))
    #expect(try clips.next() == nil)
  }

  @Test func `without what is deleted, and with what is recorded, meanwhile`() async throws {
    let store = try history.store()
    for string in ["one", "Xq7!vanish", "three"] { try await store.add(string) }
    let clips = try WholeClips(location: history.location)
    #expect(try clips.next()?.id == 1)
    try await store.delete(2)
    #expect(try !history.contains("Xq7!vanish"), "it keeps no deleted text in the log")
    try await store.add("four")
    #expect(try rest(of: clips).map(\.id) == [3, 4])
  }

  @Test func `go on behind a row that is no text`() async throws {
    let store = try history.store()
    try await store.add("one")
    try ForeignConnection(history.location.database)
      .run("INSERT INTO clip VALUES (2, 0, 1, NULL, CAST(x'ff' AS TEXT)), (3, 0, 5, NULL, 'three')")
    let clips = try WholeClips(location: history.location)
    #expect(try clips.next()?.id == 1)
    #expect(throws: StoreError.damaged) { try clips.next() }
    #expect(try rest(of: clips).map(\.id) == [3])
  }

  @Test func `of no history are an error, and make nothing`() throws {
    #expect(throws: StoreError.self) { try WholeClips(location: history.location) }
    #expect(history.files == [])
  }
}
