import GtkKit
import Testing

@testable import CopyPastaApp

/// Why the process lives on, and when nothing keeps it any more.
@MainActor
@Suite struct KeepAliveReasonsTests {
  private let clock = FakeClock()
  private let calls = Calls()
  private let reasons: KeepAliveReasons

  init() {
    reasons = KeepAliveReasons(now: { [clock] in clock.now }) { [calls] in calls.count += 1 }
  }

  @Test(arguments: KeepAliveReasons.Reason.allCases)
  func `the last reason's end is told at once`(_ reason: KeepAliveReasons.Reason) {
    reasons.hold(reason)
    #expect(!reasons.isEmpty)
    reasons.end(reason)
    #expect(reasons.isEmpty)
    #expect(calls.count == 1)
  }

  @Test func `a reason that never held is not told of`() {
    for reason in KeepAliveReasons.Reason.allCases {
      reasons.end(reason)
      reasons.lose(reason)
    }
    #expect(reasons.isEmpty)
    #expect(calls.count == 0)
  }

  @Test func `one reason is enough`() {
    reasons.hold(.background)
    reasons.hold(.shortcut)
    reasons.end(.shortcut)
    #expect(!reasons.isEmpty)
  }

  @Test(arguments: [KeepAliveReasons.Reason.trayIcon, .shortcut])
  func `what the desktop takes away keeps a hidden program, for however long`(
    _ reason: KeepAliveReasons.Reason
  ) {
    reasons.hold(reason)
    reasons.forgetLost()
    reasons.lose(reason)
    clock.now += .seconds(100_000)
    #expect(!reasons.isEmpty)
    #expect(calls.count == 0)
    // Another reason comes and goes meanwhile: still the panel may come back.
    reasons.hold(.background)
    reasons.end(.background)
    #expect(!reasons.isEmpty)
  }

  @Test func `where the panel has gone for good, the next window that is closed is the last`() {
    reasons.hold(.trayIcon)
    reasons.lose(.trayIcon)
    clock.now += .seconds(11)
    reasons.forgetLost()
    #expect(reasons.isEmpty)
  }

  @Test func `a panel that is just starting again counts where the window is closed`() {
    reasons.hold(.trayIcon)
    reasons.lose(.trayIcon)
    clock.now += .seconds(2)
    reasons.forgetLost()
    #expect(!reasons.isEmpty)
    reasons.hold(.trayIcon)
    clock.now += .seconds(100)
    reasons.forgetLost()
    #expect(!reasons.isEmpty)
  }

  @Test func `what the user switches off is over, also where the desktop has taken it away before`() {
    reasons.hold(.trayIcon)
    reasons.lose(.trayIcon)
    reasons.end(.trayIcon)
    // The icon goes with the setting, in whichever order.
    reasons.lose(.trayIcon)
    #expect(reasons.isEmpty)
    #expect(calls.count == 1)
  }
}

@MainActor
private final class FakeClock {
  var now = ContinuousClock.now
}

@MainActor
private final class Calls {
  var count = 0
}
