import GtkKit
import Synchronization
import TestSupport
import Testing

@testable import ClipHistory
@testable import CopyPastaApp

/// How long texts are kept, with a clock that can be wrong.
@MainActor
@Suite(.serialized) struct ExpiryTests {
  private static let day: Int64 = 86_400_000_000
  private static let now: Int64 = 20_000 * day

  private let scratch: Scratch
  private let clock = Clock(Self.now)
  private let preferences = Preferences(schema: nil)
  private let state: KeyFile
  private let expiry: Expiry
  private let view = RecordingView()
  private let controller: HistoryController

  init() async throws {
    scratch = try Scratch()
    state = KeyFile(path: scratch.folder.path + "/expiry.ini", group: "expiry")
    expiry = Expiry({ [preferences] in preferences }, now: { [clock] in clock.now }, keptIn: state)
    controller = try HistoryController(
      scratch.store, scratch.history.reader, FakeClipboard(), now: { [clock] in clock.now },
      firstPageSize: 30, undoTime: .seconds(3600), host: view)
    preferences.keepTime = .month
  }

  /// A look for what is too old.
  struct Look: Sendable {
    /// The texts in the history, with their ages in days.
    var ages: [String: Int64]
    var keeps = KeepTime.month
    /// Whether it is known when texts were last looked at.
    var isKnown = true
    /// How many days the clock jumps then.
    var jump: Int64 = 0
    /// The age of a text that is copied after the jump.
    var since: [String: Int64] = [:]
    /// The texts that stay; nil if all do, with a question.
    var left: [String]?
  }

  @Test(arguments: [
    Look(
      ages: ["old": 31, "older": 300, "young": 29, "younger": 1], left: ["younger", "young"]),
    Look(ages: ["old": 10_000], keeps: .always, left: ["old"]),
    // Most of the history stays.
    Look(ages: ["one": 40, "two": 1, "now": 0], isKnown: false, left: ["now", "two"]),
    Look(ages: ["one": 40, "two": 50, "now": 0], isKnown: false),
    Look(ages: ["one": 0, "two": 1, "three": 2], jump: 400),
    // A text that was copied since, with the wrong time, must not hide that.
    Look(ages: ["one": 0, "two": 1, "three": 2], jump: 400, since: ["since": 0]),
  ])
  func `what is older goes, from the store and the list; after a jump of the clock, not without a question`(
    look: Look
  ) async throws {
    try await record(look.ages)
    preferences.keepTime = look.keeps
    if look.isKnown { try lastRun(0) }
    clock.now += look.jump * Self.day
    try await record(look.since)
    let before = try scratch.texts()
    await controller.expire(by: expiry)
    let left = look.left ?? before
    #expect(try scratch.texts() == left)
    #expect(controller.texts == left)
    #expect(view.failures.isEmpty)
    let question = Expiry.Question(
      expired: look.ages.values.count { $0 + look.jump > 30 }, count: before.count, time: .month,
      now: clock.now)
    #expect(view.questions == (look.left == nil ? [question] : []))
  }

  // MARK: - A wrong clock

  @Test func `the user is asked once, and again if nobody was there`() async throws {
    try await record(["one": 40])
    view.isThere = false
    await controller.expire(by: expiry)
    view.isThere = true
    for _ in 0..<3 { await controller.expire(by: expiry) }
    #expect(view.questions.count == 2)
    #expect(try scratch.texts() == ["one"])
    // The clock was set right.
    clock.now -= 39 * Self.day
    await controller.expire(by: expiry)
    clock.now += 39 * Self.day
    await controller.expire(by: expiry)
    #expect(try scratch.texts() == ["one"])
  }

  @Test func `if the user agrees, they go, and the next time is no jump`() async throws {
    try await record(["one": 40, "two": 50])
    await controller.expire(by: expiry)
    expiry.agree(to: .month)
    await controller.expire(by: expiry)
    #expect(try scratch.texts() == [])
    try await record(["three": 29, "now": 0])
    clock.now += 2 * Self.day
    await controller.expire(by: expiry)
    #expect(try scratch.texts() == ["now"])
    #expect(view.questions.count == 1)
  }

  @Test(arguments: ["", "last-run=", "last-run=x", "last-run=-9223372036854775808"])
  func `a file that says nothing of use is as good as none`(_ line: String) async throws {
    try await record(["one": 40])
    try "[expiry]\n\(line)\n".write(toFile: state.path, atomically: true, encoding: .utf8)
    await controller.expire(by: expiry)
    #expect(view.questions.count == 1)
    #expect(try scratch.texts() == ["one"])
  }

  // MARK: - What goes on meanwhile

  @Test func `undo does not bring back what is too old by then`() async throws {
    try await record(["too old soon": 29, "young": 1, "unknown": 20_000])
    try lastRun(0)
    for id in controller.ids { controller.delete(id) }
    await controller.drain()
    clock.now += 2 * Self.day
    await controller.expire(by: expiry)
    #expect(view.deletionCounts.last == 2)
    for _ in 0..<3 { controller.undo() }
    await controller.drain()
    #expect(try Set(scratch.texts()) == ["young", "unknown"])
  }

  @Test func `who chooses to keep more while texts go keeps what is left`() async throws {
    try await fill(4_100)
    expiry.agree(to: .month)
    try await expiry.run(on: scratch.store, asking: { _ in false }) { [preferences] _, ids in
      if !ids.isEmpty { preferences.keepTime = .always }
    }
    #expect(try scratch.history.reader.newestPage(limit: 20_000).count == 100)
  }

  @Test func `a history that cannot be changed says so once, and not each hour`() async throws {
    try await record(["old": 40, "young": 0, "younger": 0])
    let store = try HistoryStore(
      location: scratch.location, digest: { key, _ in key }, timeouts: .init(lock: 20))
    let controller = try HistoryController(
      store, scratch.history.reader, FakeClipboard(), now: { 0 }, firstPageSize: 30, undoTime: .seconds(3600),
      host: view)
    try await scratch.whileLocked {
      for _ in 0..<3 { await controller.expire(by: expiry) }
    }
    #expect(view.failures == [.notExpired(.locked)])
    await controller.expire(by: expiry)
    #expect(try scratch.texts().count == 2)
  }

  // MARK: - When

  @Test func `it is due as the window becomes active, and again and again while it is shown`() {
    var count = 0
    let schedule = Expiry.Schedule(each: .milliseconds(5)) { count += 1 }
    schedule.follow(isShown: true, isActive: false)
    #expect(count == 0)
    schedule.follow(isShown: true, isActive: true)
    schedule.follow(isShown: true, isActive: true)
    #expect(count == 1)
    #expect(MainLoop.run(until: { count == 4 }, atMost: .seconds(60)))
    schedule.follow(isShown: true, isActive: false)
    #expect(MainLoop.run(until: { count == 6 }, atMost: .seconds(60)))
    schedule.follow(isShown: false, isActive: false)
    let before = count
    var later = 0
    let shown = Expiry.Schedule(each: .milliseconds(20)) { later += 1 }
    shown.follow(isShown: true, isActive: false)
    #expect(MainLoop.run(until: { later == 3 }, atMost: .seconds(60)))
    #expect(count == before, "hidden, it has no timer")
  }

  // MARK: -

  /// Records texts of so many days, the oldest first; 20,000 of them are before all times.
  private func record(_ ages: [String: Int64]) async throws {
    for (text, age) in ages.sorted(by: { $0.value > $1.value }) {
      let outcome = try await scratch.store.record(
        ClipText(validating: Array(text.utf8)), at: clock.now - age * Self.day)
      if case .recorded(let clip) = outcome { controller.model.insertNewest([clip]) }
    }
  }

  private func fill(_ count: Int) async throws {
    for number in 0..<count {
      try await scratch.store.record(
        ClipText(validating: Array("\(number)".utf8)), at: clock.now - 40 * Self.day)
    }
  }

  private func lastRun(_ days: Int64) throws {
    try state.write(strings: [("last-run", String(clock.now - days * Self.day))])
  }
}

/// A clock that is set.
private final class Clock: Sendable {
  private let time: Mutex<Int64>

  init(_ time: Int64) { self.time = Mutex(time) }

  var now: Int64 {
    get { time.withLock(\.self) }
    set { time.withLock { $0 = newValue } }
  }
}
