import GtkKit
import Synchronization
import TestSupport
import Testing

@testable import ClipHistory
@testable import CopyPastaApp

/// Runs `COPYPASTA_RETENTION_STEPS` steps (default 300), 100 for each seed starting at `COPYPASTA_SEED` (default 1).
@MainActor
@Suite(.tags(.asksBeforeExpiry)) struct RetentionModelTests {
  @Test func `retention matches its model under random clocks, changes and restarts`() async throws {
    let first = environmentNumber("COPYPASTA_SEED", or: 1)
    let count = environmentNumber("COPYPASTA_RETENTION_STEPS", or: 300)
    var (agreed, believed) = (0, 0)
    for seed in first..<first + (count + 99) / 100 {
      let run = try RetentionRun(seed: UInt64(seed))
      for step in 1...100 {
        try await run.step()
        let found = try run.ids()
        try #require(found == run.model.items.map(\.id), "seed \(seed), step \(step)")
        try #require(run.model.overdue.isEmpty, "seed \(seed), step \(step)")
      }
      agreed += run.model.agreedCount
      believed += run.model.believedCount
      await run.close()
    }
    #expect(agreed > 0 && believed > 0)
  }
}

/// A reference model of retention, without a file.
private struct RetentionModel {
  struct Item: Equatable { let id, time: Int64 }

  var items: [Item] = []
  var period = RetentionPeriod.forever
  var lastLook: ClockReading?
  /// The items that the user is asked about, and the clocks of that check; nil while no question is open.
  var question: (items: [Item], reading: ClockReading)?
  /// The items that were due in each of the last two checks; empty for a check without a trusted clock.
  private var dueBefore: [[Item]] = [[], []]
  private(set) var (agreedCount, believedCount) = (0, 0)

  func due(at now: Int64) -> [Item] {
    let limit = now - (period.duration ?? now)
    guard limit > 0 else { return [] }
    let young = items.firstIndex { $0.time >= limit && $0.time <= now } ?? items.count
    guard let last = items[..<young].lastIndex(where: { $0.time > 0 && $0.time < limit }) else { return [] }
    return Array(items[...last])
  }

  func believes(_ now: ClockReading) -> Bool {
    guard let last = lastLook, isPlausible(now) else { return false }
    return agree(now, last)
  }

  private func agree(_ now: ClockReading, _ last: ClockReading) -> Bool {
    guard let period = period.duration else { return false }
    let ahead = now.wallTime - last.wallTime
    return now.bootID == last.bootID
      ? abs(ahead - (now.bootTime - last.bootTime)) <= 120_000_000 && now.bootTime >= last.bootTime
      : 0 <= ahead && ahead <= max(period / 10, 86_400_000_000)
  }

  private func isPlausible(_ now: ClockReading) -> Bool {
    // From 1980 to 2099.
    (315_532_800_000_000..<4_102_444_800_000_000).contains(now.wallTime)
  }

  /// Deletes the items that the user was asked about, if they are still the oldest and the clock was not set since.
  mutating func confirm(at now: ClockReading) {
    guard let asked = question else { return }
    question = nil
    guard agree(now, asked.reading), items.starts(with: asked.items) else { return }
    items.removeFirst(asked.items.count)
    agreedCount += asked.items.count
    lastLook = isPlausible(asked.reading) ? asked.reading : nil
  }

  /// - Parameter isSettled: Whether no item can be restored and no question is open.
  mutating func look(_ now: ClockReading, isSettled: Bool) {
    question = nil
    guard period != .forever else { return }
    let (due, isBelieved) = (due(at: now.wallTime), believes(now))
    dueBefore = [dueBefore[1], isBelieved ? due : []]
    if isBelieved {
      items.removeFirst(due.count)
      believedCount += due.count
    } else if !due.isEmpty {
      question = (due, now)
      return
    }
    guard isBelieved || isSettled && lastLook == nil && isPlausible(now), now.wallTime > period.duration ?? 0
    else {
      return
    }
    if due.isEmpty, let last = lastLook, last.bootID == now.bootID,
      (0..<3_600_000_000).contains(now.wallTime - last.wallTime)
    {
      return
    }
    lastLook = now
  }

  /// The items in `dueBefore` that still exist.
  var overdue: [Item] { dueBefore.joined().filter(items.contains) }

  mutating func remove(_ id: Int64) { items.removeAll { $0.id == id } }

  mutating func restore(_ item: Item) {
    items.insert(item, at: items.firstIndex { $0.id > item.id } ?? items.count)
    question = nil
    // Forget what was due, because the item did not exist at the last checks.
    dueBefore = [[], []]
  }
}

/// A simulated program that may be restarted, on a computer that may be restarted and whose clock may be set.
@MainActor
private final class RetentionRun {
  private static let hour: Int64 = 3_600_000_000
  private static let day = 24 * hour

  private(set) var model = RetentionModel()
  private var random: SplitMix
  private let scratch: Scratch
  private var store: HistoryStore
  private let preferences = Preferences(schema: nil)
  private let clock: TestClock
  private var retention: Retention
  private var question: ExpiredClips? { retention.question }
  private var held: [DeletedClip] = []
  private var serial = 0

  init(seed: UInt64) throws {
    random = SplitMix(seed: seed)
    scratch = try Scratch()
    store = scratch.store
    clock = TestClock(ClockReading(wallTime: 20_000 * Self.day, bootTime: Self.hour, bootID: "boot"))
    retention = Self.retention(preferences, clock)
  }

  private static func retention(_ preferences: Preferences, _ clock: TestClock) -> Retention {
    Retention({ preferences }, clock: { clock.reading }, questionChanged: {})
  }

  func ids() throws -> [Int64] { try scratch.reader.newestPage(limit: 10_000).reversed().map(\.id) }

  func close() async { await store.close() }

  private func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  private func any(_ choices: Int64...) -> Int64 { choices.randomElement(using: &random) ?? 0 }

  /// Performs one random action.
  func step() async throws {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<25:
      try await capture()
    case 25..<45:
      clock.pass(any(1, 30, 60 * 24, 60 * 24 * 3, 60 * 24 * 10, 60 * 24 * 40) * 60_000_000)
    case 45..<50:
      clock.set(ahead: any(-400, -29, -2, 0, 2, 29, 400) * Self.day + any(-90, 0, 90) * 1_000_000)
    case 50..<52:
      let start = any(0, 60_000 * Self.day, 20_000 * Self.day + Self.hour)
      clock.set(ahead: start + clock.reading.bootTime - clock.wallTime)
    case 52..<56:
      clock.reading = ClockReading(
        wallTime: clock.wallTime + any(1, 20, 60, 900) * Self.hour, bootTime: 0,
        bootID: "boot \(UInt64.random(in: 0...UInt64.max, using: &random))")
    case 56..<61:
      guard let item = model.items.randomElement(using: &random) else { return }
      held.append(try #require(try await store.delete(item.id)))
      model.remove(item.id)
    case 61..<66:
      guard let deleted = held.popLast() else { return }
      try await store.restore(deleted)
      model.restore(.init(id: deleted.id, time: deleted.capturedAt))
    case 66..<76:
      try await choose()
    case 76..<82:
      guard let asked = question else { return }
      retention.confirm(asked)
      model.confirm(at: clock.reading)
      try await look()
    case 82..<84:
      guard question != nil else { return }
      retention.keepForever()
      model.period = .forever
      try await look()
    case 84..<88:
      try await restart()
    default:
      try await look()
    }
  }

  private func capture() async throws {
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      serial += 1
      let text = try ClipText(validating: Array("item \(serial)".utf8))
      guard case .recorded(let clip) = try await store.record(text, at: clock.wallTime) else { continue }
      model.items.append(.init(id: clip.id, time: clip.capturedAt))
      clock.pass(any(1, 3_600) * 1_000_000)
    }
  }

  private func choose() async throws {
    let choice = RetentionPeriod.allCases.randomElement(using: &random) ?? .forever
    let isShorter = choice.isShorter(than: preferences.retentionPeriod)
    // Another program may change the setting without asking.
    if isShorter, chance(80), let expired = try await retention.expired(after: choice, in: store) {
      var asked = model
      asked.period = choice
      let due = asked.due(at: clock.wallTime)
      #expect(expired.count == due.count)
      guard chance(70) else { return }
      retention.confirm(expired)
      model.question = (due, clock.reading)
      model.period = choice
      model.confirm(at: clock.reading)
    }
    preferences.retentionPeriod = choice
    model.period = choice
    try await look()
  }

  private func look() async throws {
    let reading = clock.reading
    let isSettled = held.isEmpty && question == nil
    try await retention.run(on: store, isSettled: { isSettled }) { [self] expired, _ in
      held.removeAll(where: expired.includes)
    }
    model.look(reading, isSettled: isSettled)
  }

  private func restart() async throws {
    await store.close()
    store = try Scratch.store(at: scratch.location)
    (held, model.question) = ([], nil)
    retention = Self.retention(preferences, clock)
  }
}

/// A clock that the test sets.
final class TestClock: Sendable {
  private let state: Mutex<ClockReading>

  init(_ reading: ClockReading) { state = Mutex(reading) }

  var reading: ClockReading {
    get { state.withLock(\.self) }
    set { state.withLock { $0 = newValue } }
  }

  var wallTime: Int64 { reading.wallTime }

  /// Sets the wall clock ahead, or back if `time` is negative.
  func set(ahead time: Int64) {
    reading = ClockReading(
      wallTime: wallTime + time, bootTime: reading.bootTime, bootID: reading.bootID)
  }

  /// Advances all clocks.
  func pass(_ time: Int64) {
    reading = ClockReading(
      wallTime: wallTime + time, bootTime: reading.bootTime + time, bootID: reading.bootID)
  }
}
