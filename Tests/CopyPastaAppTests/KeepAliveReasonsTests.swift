import GtkKit
import Testing

@testable import CopyPastaApp

/// The reasons that keep the process running, and when they end.
@MainActor
@Suite struct KeepAliveReasonsTests {
  private let clock = FakeClock()
  private let calls = Calls()
  private let reasons: KeepAliveReasons

  init() {
    reasons = KeepAliveReasons(now: { [clock] in clock.now }) { [calls] in calls.count += 1 }
  }

  @Test(arguments: KeepAliveReasons.Reason.allCases)
  func `ending the last keep-alive reason is reported immediately`(_ reason: KeepAliveReasons.Reason) {
    reasons.hold(reason)
    #expect(!reasons.isEmpty)
    reasons.end(reason)
    #expect(reasons.isEmpty)
    #expect(calls.count == 1)
  }

  @Test func `ending a keep-alive reason that was never held is not reported`() {
    for reason in KeepAliveReasons.Reason.allCases {
      reasons.end(reason)
      reasons.lose(reason)
    }
    #expect(reasons.isEmpty)
    #expect(calls.count == 0)
  }

  @Test func `a single remaining keep-alive reason keeps the program running`() {
    reasons.hold(.background)
    reasons.hold(.shortcut)
    reasons.end(.shortcut)
    #expect(!reasons.isEmpty)
  }

  @Test(arguments: [KeepAliveReasons.Reason.trayIcon, .shortcut])
  func `a hidden program keeps running even if the desktop takes away its last keep-alive reason`(
    _ reason: KeepAliveReasons.Reason
  ) {
    reasons.hold(reason)
    reasons.forgetLost()
    reasons.lose(reason)
    clock.now += .seconds(100_000)
    #expect(!reasons.isEmpty)
    #expect(calls.count == 0)
    // Another reason that begins and ends now changes nothing: the panel may still return.
    reasons.hold(.background)
    reasons.end(.background)
    #expect(!reasons.isEmpty)
  }

  @Test func `the program ends if a window is closed long after the panel disappeared`() {
    reasons.hold(.trayIcon)
    reasons.lose(.trayIcon)
    clock.now += .seconds(11)
    reasons.forgetLost()
    #expect(reasons.isEmpty)
  }

  @Test func `the program keeps running if a window is closed shortly after the panel disappeared`() {
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

  @Test func `disabling a tray icon that the desktop has removed ends its keep-alive reason immediately`() {
    reasons.hold(.trayIcon)
    reasons.lose(.trayIcon)
    reasons.end(.trayIcon)
    // Losing the icon after the setting was switched off changes nothing.
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
