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

  @Test(arguments: [false, true])
  func `a retention confirmation is void after the clock was set`(isFromPreferences: Bool) async throws {
    try await record([10, 8])
    clock.set(ahead: 400 * Self.day)
    await look()
    let asked = isFromPreferences ? try await session.expired(after: .month) : session.question
    #expect(asked?.count == 2)
    clock.set(ahead: -400 * Self.day)
    session.delete(try #require(asked))
    await session.drainRetention()
    try expectCount(2)
    #expect(session.question == nil)
    clock.set(ahead: 400 * Self.day)
    await look()
    try await confirm()
    try expectCount(0)
  }

  // MARK: - Other events

  @Test func `with a trusted clock, an activation deletes expired items; undo skips them`() async throws {
    try await record([29, 28, 1])
    await believeClock()
    for position in [2, 0] { session.delete(session.ids[position]) }
    await session.drain()
    pass(days: 3)
    session.attention = .active
    await session.drainRetention()
    try expectCount(0)
    #expect(session.deletions.count == 1 && session.question == nil)
    for _ in 0..<2 { session.undo() }
    await session.drain()
    try expectCount(1)
    #expect(log.failures == [.nothingToUndo])
  }

  @Test func `an expired item that Undo restores is not deleted without another yes`() async throws {
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
  }

  @Test func `the numbers in questions follow deletions, until nothing is left`() async throws {
    try await openDisplay()
    try await record([40, 50, 1])
    await look()
    let window = HistoryWindow(session.services, session, showText: { _ in }, closed: {})
    window.present(.ambient)
    let messages = window.body.messages
    let preferences = Window(title: "Preferences")
    let asked = preferences.show(page: Box(.vertical))
    self.preferences.retentionPeriod = .forever
    let menu = RetentionMenu(session, asked)
    menu.root.chosen = try #require(RetentionPeriod.allCases.firstIndex(of: .month))
    try await pump("the question in Preferences") { asked[.expired] != nil }
    #expect(self.preferences.retentionPeriod == .forever)
    self.preferences.retentionPeriod = .month
    await look()
    gtk_widget_activate_action_variant(window.body.root.widget, "win.clear-history", nil)
    #expect(messages[.clear]?.words == "Clear History? All 3 items will be deleted permanently.")
    func words(_ count: String) -> (Bool, Bool) {
      (
        messages[.expired]?.words.starts(with: count) == true,
        asked[.expired]?.words.starts(with: count) == true
      )
    }
    try await pump("the numbers") { words("2 items ") == (true, true) }
    session.delete(session.ids[1])
    await session.drain()
    try await pump("new numbers") { words("1 item ") == (true, true) }
    #expect(messages[.clear]?.words == "Clear History? All 2 items will be deleted permanently.")
    session.delete(session.ids[1])
    await session.drain()
    try await pump("no older item") { messages[.expired] == nil && asked[.expired] == nil }
    session.delete(session.ids[0])
    await session.drain()
    try await pump("no item") { messages[.clear] == nil }
    withExtendedLifetime(menu) {}
    preferences.destroy()
    window.destroy()
  }

  @Test(arguments: [false, true])
  func `another choice in Preferences withdraws the question about an earlier one`(isCounted: Bool)
    async throws
  {
    try await openDisplay()
    try await record([10, 8])
    await look()
    let window = Window(title: "Preferences")
    let messages = window.show(page: Box(.vertical))
    let menu = RetentionMenu(session, messages)
    func choose(_ period: RetentionPeriod) throws {
      menu.root.chosen = try #require(RetentionPeriod.allCases.firstIndex(of: period))
    }
    try choose(.day)
    if isCounted { try await pump("the question") { messages[.expired] != nil } }
    try choose(.year)
    // The last of these counts ends after that of the menu.
    for _ in 0..<10 { _ = try await session.expired(after: .day) }
    #expect(messages[.expired] == nil && preferences.retentionPeriod == .year)
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
  }

  // MARK: - The questions

  @Test func `the retention question shows count, period and date; its buttons answer it`() async throws {
    try await openDisplay()
    let window = HistoryWindow(session.services, session, showText: { _ in }, closed: {})
    let messages = window.body.messages
    try await record([40, 50])
    for (button, period) in [(0, RetentionPeriod.forever), (1, .month)] {
      preferences.retentionPeriod = .month
      await look()
      let question = try #require(messages[.expired])
      #expect(
        question.words == "2 items are older than 30 days (today is Oct 4, 2024). Delete them permanently?")
      #expect(question.buttons.map(\.words) == ["Keep", "_Delete"])
      question.buttons[button].run()
      await session.drainRetention()
      #expect(messages[.expired] == nil && preferences.retentionPeriod == period)
      try expectCount(button == 1 ? 0 : 2)
    }
    #expect(messages[.notice]?.words == "The history is now kept forever.")
    window.destroy()
  }

  @Test(arguments: [true, false])
  func `the question in Preferences shows the date only if the clock may be wrong`(isClockBelieved: Bool) {
    let expired = ExpiredClips(
      period: .month, reading: clock.reading, count: 2, isClockBelieved: isClockBelieved, lastID: 1,
      firstYoungID: .max, revision: 0)
    #expect(
      expired.warning
        == "2 items older than 30 days will be deleted permanently"
        + (isClockBelieved ? "." : " (today is Oct 4, 2024)."))
  }
}
