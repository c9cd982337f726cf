import Foundation
import TestSupport
import Testing

@testable import ClipHistory

/// Reading of damaged histories that cannot be recovered, or have not been recovered yet.
@Suite(.tags(.recovers)) struct DamagedHistoryTests {
  let history = TemporaryHistory()

  /// Which page of a history with 2,000 rows is filled with zeros.
  enum Page: CaseIterable {
    case first, interior, leaf, newest
  }

  /// Creates a history whose rows are "row 1" and so on, and fills one of its pages with zeros; returns the ids of the
  /// rows that are not on it.
  private static func fill(_ history: TemporaryHistory, damaging page: Page) async throws -> [Int64] {
    try await history.record()
    try history.fill(2_000)
    let positions = try history.rowPlaces()
    let number =
      switch page {
      case .first: 1
      case .interior: try history.rootPage(of: "clip")
      case .leaf: Int(positions[1_000].page)
      case .newest: Int(positions[1_999].page)
      }
    try history.damage { $0.resetBytes(in: (number - 1) * 4096..<number * 4096) }
    return positions.filter { $0.page != number }.map(\.id)
  }

  /// A disk that is full allows neither a recovery nor captures.
  @Test(arguments: Page.allCases)
  func `every readable row is exported, printed, listed and copied if a recovery has failed`(
    _ page: Page
  ) async throws {
    let readable = try await Self.fill(history, damaging: page)
    let lost = 2_000 - readable.count
    do {
      let clips = try ClipCursor(location: history.location)
      for id in readable {
        let clip = try clips.next()
        try #require(try clip?.id == id && clip?.text == ClipText("row \(id)"))
      }
      #expect(try clips.next() == nil && clips.isIncomplete == (lost > 0) && clips.isDamaged)
    }
    for number in [1, 2, readable.count / 2, readable.count] {
      let expected = try ClipText("row \(readable[readable.count - number])")
      #expect(try history.location.text(ofNewest: number) == expected, "\(number)")
    }
    history.markDamaged()
    let store = await history.store(after: .diskFull)
    let reader = try HistoryReader(location: history.location, rows: await store.salvagedRows)
    var listed: [Clip] = []
    while listed.isEmpty || listed.last?.id != readable.first {
      listed += try reader.page(from: (listed.last?.id ?? .max) - 1, limit: 64)
    }
    #expect(listed.map(\.id) == readable.reversed())
    #expect(listed.allSatisfy { $0.preview == "row \($0.id)" && $0.byteCount == $0.preview.utf8.count })
    #expect(try await store.allIDs() == readable)
    for id in readable { #expect(try await store.text(of: id) == ClipText("row \(id)")) }
    #expect(reader.isIncomplete == (lost > 0))
    await #expect(throws: StoreError.diskFull) { try await store.add("next") }
    try await history.limitRoom(to: 4096) {
      #expect(await store.open() == .readOnly(.diskFull), "a recovery would fail again")
    }
    #expect(await store.open() == .unavailable(.damaged), "a recovery is tried again")
    reader.close()
    await store.close()
  }

  @Test(.enabled(if: Requirement.restrictedUser.isMet, "\(Requirement.restrictedUser)"))
  func `in a read-only folder, every readable row of a damaged history can be listed and copied`()
    async throws
  {
    await #expect(processExitsWith: .success) {
      var histories: [(TemporaryHistory, [Int64])] = []
      for page in Page.allCases {
        let history = TemporaryHistory()
        histories.append((history, try await Self.fill(history, damaging: page)))
        chmod(history.location.database, 0o400)
        chmod(history.location.folder, 0o500)
      }
      try TemporaryHistory.becomeOwner(of: histories.map(\.0))
      for (history, readable) in histories {
        #expect(try await history.onceAlone { try HistoryCheck(history.location).isSound } == false)
        await #expect(throws: StoreError.cannotBeRecovered) {
          try await HistoryRecovery().recover(history.location)
        }
        let store = await history.store(after: .cannotBeRecovered)
        if await store.salvagedRows == nil {
          #expect(await store.reopen(isDamaged: true) == .readOnly(.readOnly))
        }
        let reader = try HistoryReader(location: history.location, rows: await store.salvagedRows)
        #expect(try reader.newestPage(limit: 12).map(\.id) == Array(readable.reversed().prefix(12)))
        #expect(try await store.allIDs() == readable)
        for id in readable { #expect(try await store.text(of: id) == ClipText("row \(id)")) }
        await #expect(throws: StoreError.readOnly) { try await store.add("next") }
        await store.close()
        chmod(history.location.folder, 0o700)
      }
    }
  }

  @Test func `reading a text on a damaged page throws, and other texts can be read any number of times`()
    async throws
  {
    let large = String(repeating: "large e\u{301} ", count: 3_000)
    let long = String(repeating: "x", count: 1 << 20)
    try await history.record("one", large, long)
    try history.damage { bytes in
      bytes.destroy(try #require(bytes.range(of: Data(large.utf8.prefix(9_000).suffix(500)))))
    }
    history.markDamaged()
    let store = await history.store(after: .diskFull)
    let reader = try HistoryReader(location: history.location, rows: await store.salvagedRows)
    #expect(try reader.newestPage(limit: 9).map(\.id) == [3, 2, 1])
    #expect(try reader.newestPage(limit: 9)[1].byteCount == large.utf8.count)
    await #expect(throws: StoreError.clipUnreadable) { try await store.text(of: 2) }
    for _ in 1...10 { #expect(try await store.text(of: 3)?.byteCount == long.utf8.count) }
    #expect(try await store.text(of: 4) == nil)
    reader.close()
    await store.close()
    try await history.expectRecovery(of: 2, losing: 1)
  }

  /// The list treats a page that is not full as the last one.
  @Test func `a page of a damaged history contains older clips in place of unreadable ones`() async throws {
    try await history.record("one", "two", "three")
    try history.insert("(4, 0, 1, CAST(x'ff' AS TEXT))")
    history.markDamaged()
    let reader = try history.salvagingReader()
    #expect(try reader.newestPage(limit: 1).map(\.id) == [3])
    #expect(try reader.page(from: 4, limit: 2).map(\.id) == [3, 2] && reader.isIncomplete)
    #expect(try reader.newestPage(limit: 9).map(\.id) == [3, 2, 1])
    reader.close()
  }
}
