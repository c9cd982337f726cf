import GtkKit
import Synchronization
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
    let times = [Format.now - 50 * 60 * minute]
    var refreshes = 0
    let clock = Age.Clock(now: { Format.now }, longestSleep: .milliseconds(20), times: { times }) {
      refreshes += 1
    }
    clock.isRunning = true
    #expect(MainLoop.run(until: { refreshes >= 3 }, atMost: .seconds(20)))
    clock.isRunning = false
  }

  @Test func `the age clock wakes up earlier if a row's age changes sooner`() {
    let times = Mutex([Format.now - 50 * 60 * minute])
    var refreshes = 0
    let clock = Age.Clock(now: { Format.now }, times: { times.withLock(\.self) }) { refreshes += 1 }
    clock.isRunning = true
    times.withLock { $0 = [Format.now - 2 * minute + 1_000_000] }
    clock.rowsChanged()
    #expect(MainLoop.run(until: { refreshes == 2 }, atMost: .seconds(30)))
  }
}
