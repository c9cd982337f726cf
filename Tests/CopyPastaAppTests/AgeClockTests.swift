import GtkKit
import Testing

@testable import CopyPastaApp

@MainActor
@Suite struct AgeClockTests {
  private let minute: Int64 = 60_000_000

  @Test func `the age clock wakes up when an age is due to change, and only while it runs`() {
    // The age is one second below two minutes, so its text changes in one second.
    let time = Format.now - 2 * minute + 1_000_000
    var refreshes = 0
    let clock = Age.Clock(now: { Format.now }) {
      [time]
    } refresh: {
      refreshes += 1
    }
    clock.rowsChanged()
    #expect(refreshes == 0)
    clock.isRunning = true
    #expect(refreshes == 1)
    #expect(MainLoop.run(until: { refreshes == 2 }, atMost: .seconds(30)))
    // The next change is a minute away, and no other event wakes the clock up.
    let quiet = Timeout(after: .milliseconds(100)) {}
    #expect(!MainLoop.run(until: { refreshes > 2 }, atMost: .milliseconds(50)))
    clock.isRunning = false
    quiet.cancel()
    clock.rowsChanged()
    #expect(refreshes == 2)
  }

  @Test func `the age clock never sleeps longer than its limit`() {
    let rows = Rows()
    rows.times = [Format.now - 50 * 60 * minute]
    var refreshes = 0
    let clock = Age.Clock(now: { Format.now }, longestSleep: .milliseconds(20), times: { rows.times }) {
      refreshes += 1
    }
    clock.isRunning = true
    #expect(MainLoop.run(until: { refreshes >= 3 }, atMost: .seconds(20)))
    clock.isRunning = false
  }

  @Test func `the age clock does not wake up without rows`() {
    var refreshes = 0
    let clock = Age.Clock(now: { Format.now }, times: { [] }) { refreshes += 1 }
    clock.isRunning = true
    #expect(refreshes == 1)
    #expect(!MainLoop.run(until: { refreshes > 1 }, atMost: .milliseconds(50)))
  }

  @Test func `the age clock wakes up earlier if a row's age changes sooner`() {
    let rows = Rows()
    rows.times = [Format.now - 50 * 60 * minute]
    var refreshes = 0
    let clock = Age.Clock(now: { Format.now }, times: { rows.times }) { refreshes += 1 }
    clock.isRunning = true
    rows.times = [Format.now - 2 * minute + 1_000_000]
    clock.rowsChanged()
    #expect(MainLoop.run(until: { refreshes == 2 }, atMost: .seconds(30)))
  }
}

/// The texts themselves are tested in `WordsTests`.
@MainActor
@Suite struct AgeChangeTests {
  @Test func `an age stays the same until its predicted change`() {
    let minute: Int64 = 60_000_000
    let start: Int64 = 1_790_000_000_000_000
    for age in [-5, 0, 1, 59, 60, 61, 359, 360, 361, 1439, 1440, 2000, 10_079, 10_080, 20_000] as [Int64] {
      for hour in 0..<24 as Range<Int64> {
        let now = start + hour * 61 * minute
        let time = now - age * minute
        let change = Age.change(of: time, at: now)
        #expect(now < change && change <= now + 60 * minute)
        #expect(Age.text(of: time, at: change - 1) == Age.text(of: time, at: now), "\(age), \(hour)")
      }
    }
  }
}

@MainActor
private final class Rows {
  var times: [Int64] = []
}
