import CGtk
import GtkTestSupport
import TestSupport
import Testing

@testable import ClipHistory
@testable import CopyPastaApp
@testable import GtkKit

/// Retention with a clock that can be wrong.
@MainActor
@Suite(.serialized) struct RetentionTests {
  private static let day: Int64 = 86_400_000_000
  private static let now: Int64 = 20_000 * day

  private let scratch: Scratch
  private let clock = TestClock(ClockReading(wallTime: now, bootTime: 1_000 * day, bootID: "boot"))
  private let preferences = Preferences(schema: nil)
  private let retention: Retention
  private let view = RecordingView()
  private let controller: HistorySession

  init() async throws {
    scratch = try Scratch()
    retention = Retention({ [preferences] in preferences }, clock: { [clock] in clock.reading })
    controller = try HistorySession(
      scratch.store, scratch.history.reader, FakeClipboard(), now: { [clock] in clock.wallTime },
      firstPageSize: 30, undoTime: .seconds(3600), delegate: view)
    preferences.retentionPeriod = .month
  }

  /// Records items of these ages in days, in this order.
  private func record(_ ages: Int64...) async throws { try await record(ages) }

  private func record(_ ages: [Int64]) async throws {
    for (number, age) in ages.enumerated() {
      let text = try ClipText(validating: Array("\(clock.wallTime) \(number) \(age)".utf8))
      let outcome = try await scratch.store.record(text, at: clock.wallTime - age * Self.day)
      if case .recorded(let clip) = outcome { controller.model.insertNewest([clip]) }
    }
  }

  private func look() async {
    controller.expire(by: retention)
    await controller.drainRetention()
  }

  /// Runs a check with nothing due, which stores the current clock as trusted.
  private func believeClock() async {
    await look()
    #expect(view.confirmations.last == .some(nil))
  }

  private func pass(days: Int64) {
    clock.wallTime += days * Self.day
    clock.bootTime += days * Self.day
  }

  private func expectCount(_ count: Int) throws {
    #expect(try scratch.texts().count == count)
    #expect(controller.ids.count == count)
  }

  private var asked: ExpiredClips? { view.confirmations.last ?? nil }

  @Test func `a retention check that is still running does not need the services any more`() async throws {
    var services: AppServices? = .keepingNothing(FakeShortcut())
    let retention = try #require(services?.retention)
    services = nil
    try await retention.run(on: scratch.store, asking: { _ in }, deleted: { _, _ in })
  }

  @Test func `expired items are deleted without asking if the clock is trusted`() async throws {
    try await record(29, 1)
    await believeClock()
    pass(days: 2)
    await look()
    try expectCount(1)
    #expect(view.confirmations.allSatisfy { $0 == nil } && view.failures.isEmpty)
  }

  // MARK: - Questions

  @Test func `no item is deleted before the user answers, however often expired items are found`()
    async throws
  {
    try await record(40, 50)
    await look()
    #expect(asked?.count == 2)
    // From here on, more than half of the items have not expired.
    try await record(0, 0, 0, 0, 0, 0)
    for _ in 0..<3 { await look() }
    #expect(asked?.count == 2)
    // Simulate a restart of the program.
    let next = Retention({ [preferences] in preferences }, clock: { [clock] in clock.reading })
    controller.expire(by: next)
    await controller.drainRetention()
    #expect(asked?.count == 2)
    try expectCount(8)
  }

  @Test func `the Keep button sets the retention period to forever, and no item is deleted afterwards`()
    async throws
  {
    try await record(40, 50)
    await look()
    retention.keepForever()
    for _ in 0..<3 { await look() }
    #expect(asked == nil)
    #expect(preferences.retentionPeriod == .forever)
    try expectCount(2)
  }

  @Test func `choosing a longer retention period deletes no item while the clock is not trusted`()
    async throws
  {
    preferences.retentionPeriod = .week
    try await record(6, 5, 0)
    await believeClock()
    clock.wallTime += 730 * Self.day
    await look()
    #expect(asked?.count == 3)
    preferences.retentionPeriod = .year
    await look()
    #expect(asked?.count == 3)
    try expectCount(3)
  }

  @Test
  func `Delete in the retention bar deletes only the counted items, even if the clock has been set forward`()
    async throws
  {
    try await record(30)
    pass(days: 1)
    try await record(Array((1...25).reversed()))
    await look()
    #expect(asked?.count == 1)
    clock.wallTime += 29 * Self.day
    retention.confirm(try #require(asked))
    await look()
    try expectCount(25)
    #expect(asked?.count ?? 0 > 20, "the new clock must cause its own question")
  }

  @Test func `the clock is trusted after the user has confirmed a retention deletion`() async throws {
    try await record(40, 29)
    await look()
    retention.confirm(try #require(asked))
    await look()
    try expectCount(1)
    pass(days: 2)
    await look()
    try expectCount(0)
  }

  @Test(arguments: [29, 25, -25] as [Int64])
  func `a clock jump shorter than the retention period deletes no item without asking`(_ days: Int64)
    async throws
  {
    try await record(Array((1...28).reversed()))
    await believeClock()
    clock.wallTime += days * Self.day
    await look()
    #expect((asked != nil) == (days > 0))
    try expectCount(28)
  }

  @Test(arguments: [-31, -20_000] as [Int64])
  func `an item that was captured while the clock was behind does not expire early`(
    _ days: Int64
  ) async throws {
    try await record(3)
    await believeClock()
    clock.wallTime += days * Self.day + 1
    try await record(0, 0, 0)
    await look()
    clock.wallTime -= days * Self.day
    await look()
    try expectCount(4)
    #expect(asked == nil)
  }

  @Test func `after the clock was set forward, items are deleted only with user consent`() async throws {
    clock.wallTime -= 31 * Self.day
    await believeClock()
    try await record(0, 0, 0)
    clock.wallTime += 31 * Self.day
    await look()
    #expect(asked?.count == 3)
    try expectCount(3)
  }

  @Test func `an item that was captured while the clock was ahead expires with its neighbours`()
    async throws
  {
    try await record(0)
    await believeClock()
    clock.wallTime += 400 * Self.day
    try await record(0)
    clock.wallTime -= 400 * Self.day
    try await record(0)
    for days: Int64 in [20, 11] {
      pass(days: days)
      await look()
    }
    try expectCount(0)
    #expect(view.confirmations.allSatisfy { $0 == nil })
  }

  // MARK: - Confirmations

  @Test func `a retention confirmation is used only once, even if the deletion fails`() async throws {
    try await record(40, 20)
    let store = try HistoryStore(
      location: scratch.location, digest: { key, _ in key }, timeouts: .init(lock: 20))
    let controller = try HistorySession(
      store, scratch.history.reader, FakeClipboard(), now: { 0 }, firstPageSize: 30, delegate: view)
    controller.expire(by: retention)
    await controller.drainRetention()
    retention.confirm(try #require(asked))
    try await scratch.whileLocked {
      controller.expire(by: retention)
      await controller.drainRetention()
    }
    #expect(view.failures == [.notExpired(.locked)])
    clock.wallTime += 365 * Self.day
    await look()
    try expectCount(2)
    #expect(asked?.count == 2)
  }

  @Test func `a retention confirmation is void after the retention period changes`() async throws {
    try await record(400, 20)
    await look()
    #expect(asked?.count == 1)
    retention.confirm(try #require(asked))
    preferences.retentionPeriod = .year
    await look()
    preferences.retentionPeriod = .month
    await look()
    try expectCount(2)
  }

  @Test
  func `restoring an expired item before confirming a retention deletion keeps all items and asks again`()
    async throws
  {
    try await record(40, 45, 1)
    controller.delete(controller.ids[1])
    await controller.drain()
    await look()
    #expect(asked?.count == 1)
    controller.undo()
    await controller.drain()
    retention.confirm(try #require(asked))
    await look()
    try expectCount(3)
    #expect(asked?.count == 2)
  }

  // MARK: - Other events

  @Test func `undo does not restore items that have expired since their deletion`() async throws {
    try await record(29, 1)
    await believeClock()
    for id in controller.ids { controller.delete(id) }
    await controller.drain()
    pass(days: 2)
    await look()
    #expect(view.deletionCounts.last == 1)
    for _ in 0..<2 { controller.undo() }
    await controller.drain()
    try expectCount(1)
  }

  @Test func `raising the retention period during a purge keeps the remaining items`() async throws {
    try await record(Array(repeating: 40, count: 4_100))
    await look()
    retention.confirm(try #require(asked))
    try await retention.run(on: scratch.store, asking: { _ in }) { [preferences] _, ids in
      if !ids.isEmpty { preferences.retentionPeriod = .forever }
    }
    #expect(try scratch.history.reader.newestPage(limit: 20_000).count == 100)
  }

  @Test func `a repeated retention failure is shown only once`() async throws {
    try await record(31, 0)
    let store = try HistoryStore(
      location: scratch.location, digest: { key, _ in key }, timeouts: .init(lock: 20))
    let controller = try HistorySession(
      store, scratch.history.reader, FakeClipboard(), now: { 0 }, firstPageSize: 30, delegate: view)
    try await scratch.whileLocked {
      for _ in 0..<3 {
        if let expired = try await retention.expired(after: .month, in: store) { retention.confirm(expired) }
        controller.expire(by: retention)
        await controller.drainRetention()
      }
    }
    #expect(view.failures == [.notExpired(.locked)])
  }

  // MARK: - The retention bar

  @Test func `the retention bar shows item count, period and date until the user answers`() async throws {
    try await TestDisplay.open()
    try await record(40, 50)
    let expired = try #require(try await retention.expired(after: .month, in: scratch.store))
    var answers: [String] = []
    let bar = RetentionBar {
    } answered: { answer in
      switch answer {
      case .delete(let answered): answers.append("delete \(answered.count)")
      case .keep: answers.append("keep")
      }
    }
    let window = Window(title: "Retention")
    window.setChild(bar.root)
    window.present(.ambient)
    defer { window.destroy() }
    #expect(!bar.root.isRevealed)
    bar.show(expired)
    let buttons = widgets(gtk_button_get_type(), in: bar.root.widget)
    try #require(buttons.count == 2)
    for (button, answer) in zip(buttons, ["keep", "delete 2"]) {
      bar.show(expired)
      #expect(bar.root.isRevealed)
      #expect(MainLoop.run(until: { gtk_widget_get_mapped(button) != 0 }, atMost: .seconds(20)))
      gtk_widget_activate(button)
      #expect(MainLoop.run(until: { answers.last == answer }, atMost: .seconds(20)))
      #expect(!bar.root.isRevealed)
    }
    #expect(
      expired.question == "2 items are older than 30 days (today is Oct 4, 2024). Delete them permanently?")
    bar.show(expired, canKeep: false)
    #expect(gtk_widget_get_sensitive(buttons[0]) == 0)
    bar.show(nil)
    #expect(!bar.root.isRevealed && answers.count == 2)
  }
}
