import Foundation
import TestSupport
import Testing

@testable import ClipHistory

/// Reading of damaged histories that cannot be recovered, or have not been recovered yet.
struct DamagedHistoryTests {
  /// Which page of a history with 2,000 rows is filled with zeros.
  enum Page: String, CaseIterable {
    case first, interior, leaf, newest
  }

  /// Fills a page of a history with zeros, and returns the ids of the rows that are not on it.
  private static func damage(_ history: TemporaryHistory, _ page: Page) throws -> [Int64] {
    let positions = try RowRecovery(history.location).positions
    let interior = try history.foreign().rows("SELECT rootpage FROM sqlite_schema WHERE name = 'clip'")
    let number =
      switch page {
      case .first: 1
      case .interior: try #require(Int(interior[0]))
      case .leaf: Int(positions[1_000].page)
      case .newest: Int(positions[1_999].page)
      }
    try history.damage { $0.resetBytes(in: (number - 1) * 4096..<number * 4096) }
    return positions.filter { $0.page != number }.map(\.id)
  }

  private static func exported(_ history: TemporaryHistory) throws -> (
    ids: [Int64], unread: Int, isDamaged: Bool
  ) {
    let clips = try ClipCursor(location: history.location)
    var ids: [Int64] = []
    while let clip = try clips.next() {
      try #require(String(decoding: clip.text.bytes, as: UTF8.self) == "row \(clip.id)")
      ids.append(clip.id)
    }
    return (ids, clips.unreadCount, clips.isDamaged)
  }

  /// The rows before and behind the page are read, and the others are counted.
  @Test(arguments: Page.allCases)
  func `every readable row is exported and printed from a damaged history`(_ page: Page) async throws {
    let history = TemporaryHistory()
    try await history.record()
    try history.fill(2_000)
    let readable = try Self.damage(history, page)
    let (ids, unread, isDamaged) = try Self.exported(history)
    #expect(ids == readable && unread == 2_000 - readable.count && isDamaged)
    for number in [1, 2, readable.count / 2, readable.count] {
      let expected = try ClipText("row \(readable[readable.count - number])")
      #expect(try history.location.text(ofNewest: number) == expected, "\(number)")
    }
  }

  @Test(
    .enabled(if: Requirement.restrictedUser.isMet, "\(Requirement.restrictedUser)"), arguments: Page.allCases)
  func `every readable row of a damaged history is listed and copied in a read-only folder`(
    _ page: Page
  ) async throws {
    try await handing(page.rawValue, as: "page") {
      await #expect(processExitsWith: .success) {
        let history = TemporaryHistory()
        try await history.record()
        try history.fill(2_000)
        let readable = try Self.damage(history, try #require(Page(rawValue: try handed("page")[0])))
        chmod(history.location.database, 0o400)
        chmod(history.location.folder, 0o500)
        try TemporaryHistory.becomeOwner(of: [history])
        let store = try history.store()
        let reader = try HistoryReader(location: history.location, evenIfDamaged: store.obstacle != nil)
        #expect(try reader.newestPage(limit: 12).map(\.id) == Array(readable.reversed().prefix(12)))
        #expect(try await store.allIDs() == readable)
        var listed: [Clip] = []
        while listed.isEmpty || listed.last?.id != readable.first {
          listed += try reader.page(from: (listed.last?.id ?? .max) - 1, limit: 64)
        }
        #expect(listed.map(\.id) == readable.reversed())
        #expect(listed.allSatisfy { $0.preview == "row \($0.id)" && $0.byteCount == $0.preview.utf8.count })
        for id in readable { #expect(try await store.text(of: id) == ClipText("row \(id)")) }
        let lost = 2_000 - readable.count
        #expect(await max(store.unreadCount, reader.unreadCount) == lost)
        #expect(try Self.exported(history).ids == readable)
        await #expect(throws: StoreError.readOnly) { try await store.add("next") }
        await store.close()
        chmod(history.location.folder, 0o700)
      }
    }
  }

  /// A disk that is full allows neither a recovery nor captures.
  @Test func `every readable row is listed and copied if a recovery has failed`() async throws {
    let history = TemporaryHistory()
    try await history.record()
    try history.fill(2_000)
    let readable = try Self.damage(history, .leaf)
    history.markDamaged()
    let store = await history.store(after: .diskFull)
    let reader = try HistoryReader(location: history.location, evenIfDamaged: true)
    #expect(try reader.page(from: .max, limit: 9_999).map(\.id) == readable.reversed())
    #expect(try await store.allIDs() == readable)
    #expect(try await store.text(of: readable[1_500]) == ClipText("row \(readable[1_500])"))
    await #expect(throws: StoreError.diskFull) { try await store.add("next") }
    FileCalls.freeSpace.withLock { $0[history.location.folder] = 4096 }
    #expect(await store.open() == .readOnly(.diskFull), "a recovery would fail again")
    FileCalls.freeSpace.withLock { $0[history.location.folder] = nil }
    #expect(await store.open() == .unavailable(.damaged), "a recovery is tried again")
    reader.close()
    await store.close()
    try await history.expectRecovery(of: readable.count, losing: 2_000 - readable.count)
  }

  @Test func `a text on a damaged overflow page is reported, and its row is listed`() async throws {
    let history = TemporaryHistory()
    let large = String(repeating: "large e\u{301} ", count: 3_000)
    try await history.record("one", large, "three")
    try history.damage { bytes in
      bytes.destroy(try #require(bytes.range(of: Data(large.utf8.prefix(9_000).suffix(500)))))
    }
    history.markDamaged()
    let store = await history.store(after: .diskFull)
    let reader = try HistoryReader(location: history.location, evenIfDamaged: true)
    #expect(try reader.newestPage(limit: 9).map(\.id) == [3, 2, 1])
    #expect(try reader.newestPage(limit: 9)[1].byteCount == large.utf8.count)
    await #expect(throws: StoreError.unreadable) { try await store.text(of: 2) }
    #expect(try await store.text(of: 3) == ClipText("three"))
    #expect(try await store.text(of: 4) == nil)
    reader.close()
    await store.close()
    try await history.expectRecovery(of: 2, losing: 1)
  }

  @Test func `a long text of a damaged history can be read any number of times`() async throws {
    let history = TemporaryHistory()
    let long = String(repeating: "x", count: 1 << 20)
    try await history.record(["one", long])
    history.markDamaged()
    let store = await history.store(after: .diskFull)
    for _ in 1...10 { #expect(try await store.text(of: 2)?.byteCount == long.utf8.count) }
    await store.close()
  }

  /// The list takes a page that is not full for the last one.
  @Test func `a page of a damaged history contains older clips in place of unreadable ones`() async throws {
    let history = TemporaryHistory()
    try await history.record("one", "two", "three")
    try history.run("INSERT INTO clip(captured_at, byte_count, text) VALUES (0, 1, CAST(x'ff' AS TEXT))")
    history.markDamaged()
    let reader = try HistoryReader(location: history.location, evenIfDamaged: true)
    #expect(try reader.newestPage(limit: 1).map(\.id) == [3])
    #expect(try reader.page(from: 4, limit: 2).map(\.id) == [3, 2])
    #expect(try reader.newestPage(limit: 9).map(\.id) == [3, 2, 1])
    reader.close()
  }
}
