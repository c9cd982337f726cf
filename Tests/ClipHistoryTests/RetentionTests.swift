import Foundation
import TestSupport
import Testing

@testable import ClipHistory

@MainActor
@Suite(.tags(.forgets, .asksBeforeExpiry)) struct RetentionTests {
  nonisolated private static let day: Int64 = 86_400_000_000
  nonisolated private static let now: Int64 = 20_000 * day
  nonisolated private static let here = reading()

  private let history = TemporaryHistory()
  private let store: HistoryStore

  init() throws { store = try history.store() }

  /// Returns the clocks `days` days after `now`; the wall clock is then ahead by `seconds`.
  ///
  /// The boot clock has advanced by `ran` days, or by `days` if `ran` is nil.
  nonisolated private static func reading(
    _ days: Int64 = 0, ahead seconds: Int64 = 0, boot: String = "boot", ran: Int64? = nil
  ) -> ClockReading {
    ClockReading(
      wallTime: now + days * day + seconds * 1_000_000, bootTime: 1_000 * day + (ran ?? days) * day,
      bootID: boot)
  }

  private func find(_ reading: ClockReading = here) async throws -> ExpiredClips {
    try #require(try await store.findExpired(after: .month, at: reading))
  }

  /// Searches, and ends the check as if the user had been asked about what was found.
  private func check(_ reading: ClockReading = here) async throws -> ExpiredClips {
    let found = try await find(reading)
    await store.finishCheck(found)
    return found
  }

  private func delete(_ expired: ExpiredClips) async throws -> [Int64] {
    let portions = Portions()
    try await store.delete(expired) { portions.take($0) }
    return Array(portions.all.joined())
  }

  // MARK: - Expiry

  /// The clips' ages in days, in the order of capture (nil: unknown time), and the number of clips that expire.
  struct Order: Sendable {
    let ages: [Int64?]
    let expired: Int
  }

  @Test(
    .tags(.provesAges),
    arguments: [
      Order(ages: [], expired: 0),
      Order(ages: [40, 31, 29, 0], expired: 2),
      Order(ages: [40, 31], expired: 2),
      // The clock was behind by a month, or started at 1970.
      Order(ages: [3, 33, 33, 1], expired: 0),
      Order(ages: [40, 3, 20_000 - 1], expired: 1),
      // The clock was ahead; the clip expires together with its neighbours.
      Order(ages: [-400, 40, 2], expired: 2),
      Order(ages: [40, -400, 35, 2], expired: 3),
      Order(ages: [40, -400, 2], expired: 1),
      // Imported clips may have unknown times.
      Order(ages: [nil, nil], expired: 0),
      Order(ages: [nil, 40, nil, 2], expired: 2),
      // A flipped bit in a time does not make an item expire.
      Order(ages: [4, 10_000, 3], expired: 0),
    ])
  func `an old time alone does not make an item old: its neighbours must confirm it`(_ order: Order)
    async throws
  {
    for (index, age) in order.ages.enumerated() {
      try await store.add("\(index)", at: age.map { Self.now - $0 * Self.day } ?? 0)
    }
    let expired = try await find()
    #expect(expired.count == order.expired)
    #expect(try await delete(expired) == (0..<order.expired).map { Int64($0) + 1 })
    #expect(try history.previews().count == order.ages.count - order.expired)
  }

  @Test func `no item expires if the retention period is forever or the clock is near 1970`() async throws {
    try await store.add("old", at: 1)
    #expect(try await store.findExpired(after: .forever, at: Self.here) == nil)
    let early = ClockReading(wallTime: 29 * Self.day, bootTime: 0, bootID: "boot")
    #expect(try await store.findExpired(after: .month, at: early) == nil)
  }

  // MARK: - Trust in the clock

  /// A clock reading, and whether a check trusts the reading if the previous check was at `here`.
  struct Later: Sendable {
    let reading: ClockReading
    let isBelieved: Bool
    var period = RetentionPeriod.month
  }

  @Test(arguments: [
    Later(reading: reading(5), isBelieved: true),
    Later(reading: reading(5, ran: 0), isBelieved: false),
    Later(reading: reading(-25, ran: 0), isBelieved: false),
    Later(reading: reading(0, ran: 5), isBelieved: false),
    Later(reading: reading(-1), isBelieved: false),
    Later(reading: reading(1, ahead: 119), isBelieved: true),
    Later(reading: reading(1, ahead: 121), isBelieved: false),
    Later(reading: reading(1, ahead: -119), isBelieved: true),
    Later(reading: reading(1, ahead: -121), isBelieved: false),
    Later(reading: reading(3, boot: "next", ran: -1_000), isBelieved: true),
    Later(reading: reading(4, boot: "next", ran: -1_000), isBelieved: false),
    Later(reading: reading(1, boot: "next"), isBelieved: true, period: .day),
    Later(reading: reading(2, boot: "next"), isBelieved: false, period: .week),
    // The last check is in the future.
    Later(reading: reading(-1, boot: "next"), isBelieved: false),
    Later(reading: reading(60_000, boot: "boot"), isBelieved: false),
    Later(reading: reading(-19_000), isBelieved: false),
  ])
  func `the clock is trusted only if its advance since the last check is plausible`(_ later: Later) throws {
    let duration = try #require(later.period.duration)
    #expect(
      RetentionPolicy.believes(later.reading, after: Self.here, keeping: duration) == later.isBelieved)
    #expect(!RetentionPolicy.believes(later.reading, after: nil, keeping: duration))
  }

  @Test(arguments: [Int64.min, -1, .max])
  func `the clock is not trusted if the record of the last check is damaged`(_ number: Int64) throws {
    let damaged = ClockReading(wallTime: Self.now, bootTime: number, bootID: "boot")
    #expect(!RetentionPolicy.believes(Self.here, after: damaged, keeping: Self.day))
    let later = ClockReading(wallTime: number, bootTime: number, bootID: "boot")
    #expect(!RetentionPolicy.believes(Self.here, after: later, keeping: Self.day))
    #expect(!RetentionPolicy.believes(later, after: Self.here, keeping: Self.day))
  }

  @Test func `a clock reading has the boot's id and the time since the boot`() {
    let (first, second) = (ClockReading.now(wallTime: 1), ClockReading.now(wallTime: 1))
    #expect(first.bootID.count == 36 && first.bootID == second.bootID)
    #expect(first.bootTime > 0 && second.bootTime >= first.bootTime)
  }

  @Test func `a retention check is stored only if it is the first, is trusted or was confirmed`()
    async throws
  {
    try await store.add("old", at: Self.now - 40 * Self.day)
    #expect(try await !check().isClockBelieved, "a history of 1.0.0")
    #expect(try await !check().isClockBelieved, "a question is no look")
    #expect(try await delete(find()) == [1])
    #expect(try await check(Self.reading(5)).isClockBelieved)
    #expect(try await !check(Self.reading(9, ran: 6)).isClockBelieved)
    #expect(try await check(Self.reading(6)).isClockBelieved, "the wrong look did not count")
    #expect(try await check(Self.reading(9, boot: "next")).isClockBelieved)
    #expect(try await check(Self.reading(12, boot: "later")).isClockBelieved, "the last one did")
  }

  // MARK: - Deletion

  @Test(.tags(.keepsAsLongAsSaid))
  func `expired items are removed from the files, and younger items are kept`() async throws {
    for size in [1, 40, 90, 20_000] {
      try await store.add(String(repeating: "Xq7!vanish \(size) ", count: size), at: Self.now - 40 * Self.day)
    }
    try await store.add("what stays", at: Self.now)
    #expect(try await delete(find()) == [1, 2, 3, 4])
    #expect(try !history.contains("Xq7!vanish"))
    #expect(try history.unusedBytes() == 0)
    #expect(try history.previews() == ["what stays"])
    #expect(try await store.record(try ClipText("what stays"), at: Self.now) == .duplicate)
  }

  @Test
  func `a confirmed retention deletion is cancelled after an undo, a deletion or a reopening`()
    async throws
  {
    for text in ["one", "two", "three"] { try await store.add(text, at: Self.now - 40 * Self.day) }
    let deleted = try #require(try await store.delete(2))
    let asked = try await find()
    #expect(asked.count == 2)
    try await store.restore(deleted)
    #expect(try await delete(asked) == [])
    let again = try await find()
    #expect(again.count == 3)
    try await store.delete(3)
    #expect(try await delete(again) == [])
    let last = try #require(try await history.store().findExpired(after: .month, at: Self.here))
    try await history.store().delete(last) { _ in true }
    #expect(try history.previews() == ["two", "one"])
  }

  @Test func `a retention deletion keeps items which were captured or expired since the check`() async throws
  {
    try await store.add("one", at: Self.now - 31 * Self.day)
    let asked = try await find()
    for age: Int64 in 0..<20 { try await store.add("\(age)", at: Self.now - (30 - age) * Self.day) }
    #expect(try await delete(asked) == [1])
    #expect(try await !find(Self.reading(25, ran: 0)).isClockBelieved, "the clock was set meanwhile")
    #expect(try history.previews().count == 20)
  }

  @Test func `an undo between two batches ends a retention deletion`() async throws {
    try await store.add("undone", at: Self.now)
    let deleted = try #require(try await store.delete(1))
    try history.fill(9_000, from: 1)
    let asked = try await find()
    let (store, portions) = (store, Portions())
    try await store.delete(asked) { ids in
      if portions.all.count == 0 { Task { try await store.restore(deleted) } }
      return portions.take(ids)
    }
    #expect(portions.all.count < 3)
    #expect(try await store.allIDs().contains(1))
  }

  @Test func `captures are recorded between the batches of a retention deletion`() async throws {
    try history.fill(30_000)
    let (store, portions) = (store, Portions())
    var captured: Int?
    try await store.delete(find()) { ids in
      if portions.all.count == 0 {
        Task {
          try await store.add("meanwhile", at: Self.now)
          captured = portions.all.count
        }
      }
      return portions.take(ids)
    }
    #expect(portions.all.joined().count == 30_000 && portions.all.count == 8)
    #expect((1...2).contains(captured ?? 0))
    #expect(try history.previews() == ["meanwhile"])
  }

  @Test func `each batch of a retention deletion is limited in bytes`() async throws {
    let text = String(repeating: "x", count: 1 << 20)
    for number in 0..<10 { try await store.add("\(number)" + text, at: 1) }
    let portions = Portions()
    try await store.delete(find()) { portions.take($0) }
    #expect(portions.all.joined().count == 10 && portions.all.allSatisfy { $0.count <= 4 })
  }

  @Test func `damaged row sizes cause no overflow in a retention deletion`() async throws {
    let (most, least) = (Int64.max, Int64.min)
    try history.insert("(1, 1, 1, 'a'), (2, 1, \(most), 'b'), (3, 1, \(least), 'c'), (4, 1, \(most), 'd')")
    #expect(try await delete(find()) == [1, 2, 3, 4])
  }

  @Test func `a retention deletion reports rows out of order as damage and deletes none`() async throws {
    for number in 1...3 { try await store.add("\(number)", at: 1) }
    await store.close()
    try history.swapRow(0)
    let damaged = try history.store()
    await #expect(throws: StoreError.damaged) { try await damaged.findExpired(after: .month, at: Self.here) }
    let guessed = await ExpiredClips(
      period: .month, reading: Self.here, count: 3, isClockBelieved: true, lastID: 3, firstYoungID: .max,
      revision: damaged.revision)
    await #expect(throws: StoreError.damaged) { try await damaged.delete(guessed) { _ in true } }
    #expect(try history.foreign().rows("SELECT count(*) FROM clip") == ["3"])
  }

  @Test
  nonisolated func `after a kill, a retention deletion and its check are both on disk, or neither is`()
    async throws
  {
    for text in ["one", "two"] { try await store.add(text, at: Self.now - 40 * Self.day) }
    let expired = try await find()
    let states = try await history.copies { try await store.delete(expired) { _ in true } }
    var outcomes: Set<Bool> = []
    for state in states {
      let reopened = try state.store()
      let found = try #require(try await reopened.findExpired(after: .month, at: Self.here))
      #expect(try found.isClockBelieved == state.previews().isEmpty)
      outcomes.insert(found.isClockBelieved)
      await reopened.close()
    }
    #expect(outcomes == [false, true])
  }

  @Test func `the next retention check shrinks a file that an interrupted deletion left large`() async throws
  {
    try history.fill(5_000)
    try await store.add("what stays", at: Self.now)
    try await store.delete(find()) { _ in true }
    // All items are deleted, but the file has not been vacuumed yet.
    let copy = try history.snapshot()
    let reopened = try copy.store()
    let before = try #require(try HistoryFolder.size(of: copy.location.database))
    #expect(before > 20 * 4096)
    let found = try #require(try await reopened.findExpired(after: .month, at: Self.here))
    #expect(found.count == 0)
    await reopened.finishCheck(found)
    #expect(try #require(try HistoryFolder.size(of: copy.location.database)) <= 10 * 4096)
    #expect(try HistoryFolder.size(of: copy.location.wal) == 0)
    await reopened.close()
    #expect(try copy.isSound())
    #expect(try copy.previews() == ["what stays"])
  }

  @Test func `a retention check recognises deleted items that would have expired`() async throws {
    let ages: [Int64] = [40, 2, 45, 35, 1]
    for age in ages { try await store.add("\(age)", at: Self.now - age * Self.day) }
    var held: [DeletedClip] = []
    for id in try await store.allIDs().dropLast() { held.append(try #require(try await store.delete(id))) }
    let found = try await find()
    #expect(found.count == 0)
    #expect(held.map(found.includes) == [true, false, true, true])
    // A young item is not included, even if an expired item follows it.
    try await store.restore(held[2])
    let between = try await find()
    #expect(between.count == 1 && !between.includes(held[1]))
  }
}

/// Records the batches that a deletion reports.
@MainActor
private final class Portions {
  private(set) var all: [[Int64]] = []

  nonisolated init() {}

  func take(_ portion: [Int64]) -> Bool {
    all.append(portion)
    return true
  }
}
