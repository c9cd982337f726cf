import Foundation
import Testing

@testable import ClipHistory

@Suite("All clips with their whole texts")
struct ClipCursorTests {
  let history: TemporaryHistory

  init() throws {
    history = try TemporaryHistory()
  }

  private func rest(of clips: ClipCursor) throws -> [Clip.Whole] {
    var found: [Clip.Whole] = []
    while let clip = try clips.next() { found.append(clip) }
    return found
  }

  @Test func `come oldest first, byte for byte, once`() async throws {
    let store = try history.store()
    let strings = ["one", "e\u{301}\r\n", String(repeating: "large ", count: 100_000), "two"]
    for (time, string) in strings.enumerated() { try await store.add(string, at: Int64(time)) }
    try await store.delete(4)
    let clips = try ClipCursor(location: history.location)
    let found = try rest(of: clips)
    #expect(found.map(\.id) == [1, 2, 3] && found.map(\.capturedAt) == [0, 1, 2])
    #expect(found.map(\.text) == (try strings.dropLast().map { try ClipText($0) }))
    #expect(try clips.next() == nil)
  }

  @Test func `without what is deleted, and with what is recorded, meanwhile`() async throws {
    let store = try history.store()
    for string in ["one", "Xq7!vanish", "three"] { try await store.add(string) }
    let clips = try ClipCursor(location: history.location)
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
      .run(
        """
        INSERT INTO clip(id, captured_at, byte_count, text)
        VALUES (2, 0, 1, CAST(x'ff' AS TEXT)), (3, 0, 5, 'three')
        """)
    let clips = try ClipCursor(location: history.location)
    #expect(try clips.next()?.id == 1)
    #expect(throws: StoreError.damaged) { try clips.next() }
    #expect(try rest(of: clips).map(\.id) == [3])
  }

  @Test func `come with whatever id they have`() async throws {
    await (try history.store()).close()
    try ForeignConnection(history.location.database).run(
      """
      INSERT INTO clip(id, captured_at, byte_count, text) VALUES
        (\(Int64.min), 1, 3, 'one'), (-1, 1, 3, 'two'), (\(Int64.max), 1, 5, 'three')
      """)
    #expect(try rest(of: ClipCursor(location: history.location)).map(\.id) == [.min, -1, .max])
  }

  @Test func `come from a finished rescue that is not in its place yet, and leave it as it is`() async throws
  {
    let store = try history.store()
    try await store.add("one")
    await store.close()
    let rescue = history.location.finishedRescue
    try FileManager.default.createDirectory(atPath: rescue.folder, withIntermediateDirectories: true)
    try FileManager.default.moveItem(atPath: history.location.database, toPath: rescue.database)
    #expect(!history.location.isVacant)
    #expect(try rest(of: ClipCursor(location: history.location)).map(\.id) == [1])
    #expect(try FileManager.default.contentsOfDirectory(atPath: rescue.folder) == ["history.sqlite3"])
    #expect(history.files == [])
    #expect(try await history.store().allIDs() == [1])
  }

  @Test(arguments: [true, false])
  func `are damaged if there is only a log, which is left as it is`(isEmptied: Bool) async throws {
    let store = try history.store()
    try await store.add("one")
    let copy = try history.snapshot()
    let log = try Data(contentsOf: URL(filePath: copy.location.writeAheadLog))
    if isEmptied {
      try copy.plant(Data())
    } else {
      try FileManager.default.removeItem(atPath: copy.location.database)
    }
    #expect(!copy.location.isVacant)
    #expect(throws: StoreError.damaged) { try ClipCursor(location: copy.location) }
    #expect(throws: StoreError.damaged) { try copy.reader() }
    #expect(try Data(contentsOf: URL(filePath: copy.location.writeAheadLog)) == log)
  }

  @Test func `of no history are an error, and make nothing`() throws {
    #expect(throws: StoreError.self) { try ClipCursor(location: history.location) }
    #expect(history.files == [])
  }
}
