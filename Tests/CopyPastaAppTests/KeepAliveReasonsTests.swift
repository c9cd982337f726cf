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
  func `ending the last reason is reported immediately`(_ reason: KeepAliveReasons.Reason) {
    reasons.hold(reason)
    #expect(!reasons.isEmpty)
    reasons.end(reason)
    #expect(reasons.isEmpty)
    #expect(calls.count == 1)
  }

  @Test func `ending a reason that never held is not reported`() {
    for reason in KeepAliveReasons.Reason.allCases {
      reasons.end(reason)
      reasons.lose(reason)
    }
    #expect(reasons.isEmpty)
    #expect(calls.count == 0)
  }

  @Test func `a single remaining reason keeps the process alive`() {
    reasons.hold(.background)
    reasons.hold(.shortcut)
    reasons.end(.shortcut)
    #expect(!reasons.isEmpty)
  }

  @Test(arguments: [KeepAliveReasons.Reason.trayIcon, .shortcut])
  func `a reason lost to the desktop keeps a hidden program alive indefinitely`(
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

  @Test func `closing a window long after the panel was lost ends the program`() {
    reasons.hold(.trayIcon)
    reasons.lose(.trayIcon)
    clock.now += .seconds(11)
    reasons.forgetLost()
    #expect(reasons.isEmpty)
  }

  @Test func `closing a window shortly after the panel was lost keeps the program alive`() {
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

  @Test func `a reason disabled by the user ends even if the desktop lost the reason before`() {
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
