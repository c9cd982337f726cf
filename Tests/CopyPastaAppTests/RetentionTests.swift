import CGtk
import GtkTestSupport
import TestSupport
import Testing

@testable import ClipHistory
@testable import CopyPastaApp
@testable import GtkKit

/// Retention with a clock that can be wrong.
@MainActor
@Suite(.serialized, .tags(.forgets, .asksBeforeExpiry)) struct RetentionTests {
  private static let day: Int64 = 86_400_000_000
  private static let now: Int64 = 20_000 * day

  private let scratch: Scratch
  private let clock = TestClock(ClockReading(wallTime: now, bootTime: 1_000 * day, bootID: "boot"))
  private let preferences = Preferences(schema: nil)
  private let session: HistorySession
  private let log: SessionLog

  init() async throws {
    scratch = try Scratch()
    preferences.retentionPeriod = .month
    session = Self.session(at: scratch.location, preferences, clock)
    log = SessionLog(of: session)
  }

  /// Makes a session without a window, as after each start of the program.
  private static func session(
    at location: HistoryLocation, _ preferences: Preferences, _ clock: TestClock, lock: Int32 = 2000
  ) -> HistorySession {
    let session = HistorySession.make(
      at: location, preferences: preferences, now: { clock.wallTime }, clock: { clock.reading }, lock: lock)
    session.followSettings()
    return session
  }

  /// Records items of these ages in days, in this order.
  private func record(_ ages: [Int64]) async throws {
    for (number, age) in ages.enumerated() {
      let text = "\(clock.wallTime) \(number) \(age)"
      let clip = try await scratch.record(text, at: clock.wallTime - age * Self.day)
      session.model.insertNewest([try #require(clip)])
    }
  }

  private func look(_ other: HistorySession? = nil) async {
    (other ?? session).start()
    await (other ?? session).drainRetention()
  }

  /// Answers the question with *Delete*.
  private func confirm() async throws {
    session.delete(try #require(session.question))
    await session.drainRetention()
  }

  /// Runs a check with nothing due, which stores the current clock as trusted.
  private func believeClock() async {
    await look()
    #expect(session.question == nil)
  }

  private func pass(days: Int64) { clock.pass(days * Self.day) }

  private func expectCount(_ count: Int) throws {
    #expect(try scratch.texts().count == count)
    #expect(session.ids.count == count)
  }

  // MARK: - Confirmations

  @Test func `a retention confirmation is used only once, even if the deletion fails`() async throws {
    try await record([40, 20])
    let session = Self.session(at: scratch.location, preferences, clock, lock: 20)
    let log = SessionLog(of: session)
    await look(session)
    try await scratch.whileLocked {
      session.delete(try #require(session.question))
      await session.drainRetention()
    }
    #expect(log.failures == [.notExpired(.locked)])
    clock.set(ahead: 365 * Self.day)
    session.tryAgain()
    await session.drainActions()
    await session.drainRetention()
    #expect(try scratch.texts().count == 2)
    #expect(session.question?.count == 2)
  }

  @Test func `a retention confirmation is void after the retention period changes`() async throws {
    try await record([400, 20])
    await look()
    #expect(session.question?.count == 1)
    session.delete(try #require(session.question))
    preferences.retentionPeriod = .year
    await look()
    preferences.retentionPeriod = .month
    await look()
    try expectCount(2)
  }

  // MARK: - Other events

  @Test func `with a trusted clock, activating the window deletes expired items, and undo skips them`()
    async throws
  {
    try await record([29, 28, 1])
    await believeClock()
    for position in [2, 0] { session.delete(session.ids[position]) }
    await session.drain()
    pass(days: 3)
    session.attention = .active
    await session.drainRetention()
    try expectCount(0)
    #expect(session.deletions.count == 1 && log.questions == 0)
    for _ in 0..<2 { session.undo() }
    await session.drain()
    try expectCount(1)
    #expect(log.failures == [.nothingToUndo])
  }

  @Test func `an expired item that Undo brings back is asked about again, and not deleted without a yes`()
    async throws
  {
    try await record([40, 1])
    await look()
    session.delete(session.ids[1])
    await session.drain()
    await session.drainRetention()
    #expect(session.question == nil)
    session.undo()
    await session.drain()
    await session.drainRetention()
    #expect(session.question?.count == 1)
    await look()
    try expectCount(2)
  }

  @Test func `raising the retention period during a purge keeps the remaining items`() async throws {
    try await record(Array(repeating: 40, count: 4_100))
    await look()
    let token = session.model.changes.add { [preferences] _ in preferences.retentionPeriod = .forever }
    try await confirm()
    withExtendedLifetime(token) {}
    #expect(try scratch.reader.newestPage(limit: 20_000).count == 100)
  }

  @Test func `a repeated retention failure is shown once, and again after a success`() async throws {
    try await record([20, 0])
    await believeClock()
    let session = Self.session(at: scratch.location, preferences, clock, lock: 20)
    let log = SessionLog(of: session)
    for _ in 0..<2 {
      pass(days: 20)
      try await scratch.whileLocked {
        for _ in 0..<3 { await look(session) }
      }
      session.tryAgain()
      await session.drainActions()
      await session.drainRetention()
    }
    #expect(log.failures == [.notExpired(.locked), .notExpired(.locked)])
    #expect(try scratch.texts().isEmpty)
  }

  // MARK: - Without a window

  @Test func `a confirmed deletion is carried out without a window`() async throws {
    try await record([40, 1])
    let other = Preferences(schema: nil)
    let session = HistorySession.make(
      at: scratch.location, preferences: other, now: { [clock] in clock.wallTime },
      clock: { [clock] in clock.reading }, firstPageSize: nil)
    session.delete(try #require(try await session.expired(after: .month)))
    await session.drainRetention()
    #expect(try scratch.texts().count == 1 && other.retentionPeriod == .month)
    await session.close()
  }

  /// *Delete Older Items?* counts the oldest two items, and *Clear History?* all three.
  @Test func `the number in an open dialog follows deletions, and the dialog closes when nothing is left`()
    async throws
  {
    try await TestDisplay.open()
    try await record([40, 50, 1])
    await look()
    let expired = try #require(session.question)
    let window = HistoryWindow(session.services, session, showText: { _ in }, closed: {})
    window.present(.ambient)
    let preferences = Window(title: "Preferences")
    preferences.present()
    let before = toplevels()
    let question = RetentionQuestion(expired, over: preferences, session) {}
    let older = try #require(toplevels().first { !before.contains($0) })
    gtk_widget_activate_action_variant(window.body.root.widget, "win.clear-history", nil)
    let all = try #require(toplevels().first { !before.contains($0) && $0 != older })
    #expect(labelTexts(in: older).contains { $0.starts(with: "2 items") })
    #expect(labelTexts(in: all).contains { $0.starts(with: "All 3 items") })
    session.delete(session.ids[1])
    await session.drain()
    try await pump("new numbers") {
      session.question?.count == 1 && labelTexts(in: older).contains { $0.starts(with: "1 item is") }
        && labelTexts(in: all).contains { $0.starts(with: "All 2 items") }
    }
    session.delete(session.ids[1])
    await session.drain()
    try await pump("no older item") { session.question == nil && !toplevels().contains(older) }
    session.delete(session.ids[0])
    await session.drain()
    try await pump("no item") { !toplevels().contains(all) }
    withExtendedLifetime(question) {}
    preferences.destroy()
    window.destroy()
  }

  @Test func `while the history cannot be changed, no question is asked`() async throws {
    try await record([40, 1])
    await scratch.close()
    await session.close()
    var pending: HistoryImport? = try HistoryImport(scratch.location, at: clock.wallTime)
    let session = Self.session(at: scratch.location, preferences, clock)
    await look(session)
    #expect(session.obstacle == .locked && session.question == nil)
    await #expect(throws: StoreError.locked) { try await session.expired(after: .day) }
    withExtendedLifetime(pending) {}
    pending = nil
    session.tryAgain()
    await session.drainActions()
    await session.drainRetention()
    #expect(session.question?.count == 1)
    await session.close()
  }

  // MARK: - The retention bar

  @Test func `the retention bar shows item count, period and date until the user answers`() async throws {
    try await TestDisplay.open()
    try await record([40, 50])
    let expired = try #require(try await session.expired(after: .month))
    var answers: [String] = []
    let bar = RetentionBar {
    } answered: { answer in
      switch answer {
      case .delete(let answered): answers.append("delete \(answered.count)")
      case .keep: answers.append("keep")
      }
    }
    #expect(!bar.root.isRevealed)
    bar.show(expired)
    #expect(
      labelTexts(in: bar.root.widget).first
        == "2 items are older than 30 days (today is Oct 4, 2024). Delete them permanently?")
    let buttons = widgets(gtk_button_get_type(), in: bar.root.widget)
    for button in buttons {
      bar.show(expired)
      #expect(bar.root.isRevealed)
      copypasta_emit(button, "clicked")
      #expect(!bar.root.isRevealed)
    }
    bar.show(expired, canKeep: false)
    #expect(gtk_widget_get_sensitive(buttons[0]) == 0)
    bar.show(nil)
    #expect(!bar.root.isRevealed && answers == ["keep", "delete 2"])
  }
}
