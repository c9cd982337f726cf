import Foundation
import TestSupport
import Testing

@testable import ClipHistory

struct ClipCursorTests {
  let history = TemporaryHistory()

  private func rest(of clips: ClipCursor) throws -> [Clip.Full] {
    var found: [Clip.Full] = []
    while let clip = try clips.next() { found.append(clip) }
    return found
  }

  private func allIDs() throws -> [Int64] { try rest(of: ClipCursor(location: history.location)).map(\.id) }

  @Test
  func `a history cursor returns each clip once, oldest first, and a search by place finds the same texts`()
    async throws
  {
    let store = try history.store()
    let strings = ["one", "e\u{301}\r\n", String(repeating: "large ", count: 100_000), "two"]
    for (time, string) in strings.enumerated() { try await store.add(string, at: Int64(time)) }
    try await store.delete(4)
    let clips = try ClipCursor(location: history.location)
    let found = try rest(of: clips)
    #expect(found.map(\.id) == [1, 2, 3] && found.map(\.capturedAt) == [0, 1, 2])
    #expect(found.map(\.text) == (try strings.dropLast().map { try ClipText($0) }))
    #expect(try clips.next() == nil)
    for (index, clip) in found.reversed().enumerated() {
      #expect(try history.location.text(ofNewest: index + 1) == clip.text)
    }
    for number in [4, .max] { #expect(try history.location.text(ofNewest: number) == nil) }
  }

  @Test func `an open history cursor skips newly deleted clips and includes newly recorded clips`()
    async throws
  {
    let store = try history.store()
    for string in ["one", "Xq7!vanish", "three"] { try await store.add(string) }
    let clips = try ClipCursor(location: history.location)
    #expect(try clips.next()?.id == 1)
    try await store.delete(2)
    #expect(try !history.contains("Xq7!vanish"), "it keeps no deleted text in the log")
    try await store.add("four")
    #expect(try rest(of: clips).map(\.id) == [3, 4])
  }

  /// The damage changes id 21 to 13, so a search for the missing id 20 ends at the row with id 13.
  @Test func `a history cursor returns every clip even if a search by id finds a wrong row`() async throws {
    try await history.record((1...60).map { "clip \($0) " + String(repeating: ".", count: 180) })
    try history.run("DELETE FROM clip WHERE id = 20")
    let rows = try history.rowPlaces()
    let row = try #require(rows.first { $0.id == 21 })
    #expect(!rows.contains { $0.page == row.page && $0.id < 21 })
    try history.damage { $0[(row.page - 1) * 4096 + row.offset + 2] = 13 }
    let clips = try ClipCursor(location: history.location)
    let found = try rest(of: clips)
    #expect(Set(found.map(\.text.bytes)).count == 59 && found.count == 59)
    #expect(clips.isDamaged && !clips.isIncomplete)
  }

  enum FlippedBit: CaseIterable {
    case id, interiorKey
  }

  /// SQLite reports neither, but its searches skip rows.
  @Test(arguments: FlippedBit.allCases)
  func `every text is exported, and found by its place in the list, even if one bit of an id is flipped`(
    _ bit: FlippedBit
  ) async throws {
    try await history.record()
    try history.fill(2_000)
    let row = try history.rowPlaces()[499]
    let root = try history.rootPage(of: "clip")
    try history.damage { data in
      let bytes = Array(data)
      switch bit {
      case .id: data[(row.page - 1) * 4096 + row.offset + 1] ^= 0x40
      case .interiorKey:
        // Lower a key between 896 and 1,023, which hides the rows between the old and the new key.
        let page = (root - 1) * 4096
        let keys = (0..<bytes.uint16(at: page + 3)).map {
          page + bytes.uint16(at: page + 12 + 2 * $0) + 4
        }
        data[try #require(keys.last { bytes[$0] == 0x87 })] ^= 0x04
      }
    }
    for id in [500, 800] {
      #expect(try history.location.text(ofNewest: 2_001 - id) == ClipText("row \(id)"))
    }
    let clips = try ClipCursor(location: history.location)
    #expect(try Set(rest(of: clips).map(\.text.bytes)).count == 2_000)
    #expect(clips.isDamaged && !clips.isIncomplete)
  }

  /// An import would assign new ids to the clips that the cursor has not read yet.
  @Test func `an open history cursor returns each clip once, and makes imports fail`() async throws {
    try await history.record()
    try history.fill(50, from: 1_000_000)
    func importOlder() throws {
      let older = try HistoryImport(history.location, at: 1_000_000_000)
      _ = try older.add(try ClipText("older than all"), capturedAt: 1)
      try older.finish()
    }
    var clips: ClipCursor? = try ClipCursor(location: history.location)
    var found = [try #require(try clips?.next())]
    #expect(throws: StoreError.locked) { try importOlder() }
    if let clips { found += try rest(of: clips) }
    #expect(found.count == 50)
    clips = nil
    try await history.onceAlone { try importOlder() }
    #expect(try allIDs().count == 51)
  }

  @Test func `an unfinished import blocks cursors and checks, and changes nothing`() async throws {
    try await history.record("one")
    var adding: HistoryImport? = try HistoryImport(history.location, at: 1)
    #expect(try adding?.add(try ClipText("two"), capturedAt: 1) == true)
    withExtendedLifetime(adding) {
      #expect(throws: StoreError.locked) { try ClipCursor(location: history.location) }
      #expect(throws: StoreError.locked) { try HistoryCheck(history.location) }
    }
    adding = nil
    #expect(try allIDs() == [1])
  }

  @Test func `a history cursor returns clips with any id, including negative ones`() async throws {
    try await history.record()
    try history.insert("(\(Int64.min), 1, 3, 'one'), (-1, 1, 3, 'two'), (\(Int64.max), 1, 5, 'three')")
    #expect(try allIDs() == [.min, -1, .max])
  }

  @Test(arguments: [true, false])
  func `a history cursor reads, but never changes, a log without a database`(isEmptied: Bool) async throws {
    let store = try history.store()
    try await store.add("one")
    let copy = try history.snapshot()
    let log = try Data(contentsOf: URL(filePath: copy.location.wal))
    if isEmptied { try copy.plant(Data()) } else { unlink(copy.location.database) }
    #expect(try !copy.location.isMissing)
    let clips = try ClipCursor(location: copy.location)
    #expect(try rest(of: clips).map(\.id) == [1] && clips.isDamaged)
    #expect(throws: StoreError.damaged) { try copy.reader() }
    #expect(try Data(contentsOf: URL(filePath: copy.location.wal)) == log)
  }

  @Test func `opening a reader or a cursor without a history throws and creates no file`() throws {
    #expect(throws: StoreError.self) { try history.reader() }
    #expect(throws: StoreError.self) { try ClipCursor(location: history.location) }
    #expect(history.files == [])
    try history.plant(Data())
    #expect(throws: StoreError.damaged) { try history.reader() }
  }
}
