import GtkKit
import Testing

@testable import CopyPastaApp

/// The reasons that keep the process running, and when they end.
@MainActor
@Suite struct KeepAliveReasonsTests {
  private let clock = FakeClock()
  private let reasons: KeepAliveReasons

  init() {
    reasons = KeepAliveReasons(now: { [clock] in clock.now }) { [clock] in clock.calls += 1 }
  }

  @Test func `each reason keeps the program running until it ends, which is reported if it was held`() {
    for reason in KeepAliveReasons.Reason.allCases {
      reasons.end(reason)
      reasons.lose(reason)
    }
    #expect(reasons.isEmpty && clock.calls == 0)
    for reason in KeepAliveReasons.Reason.allCases { reasons.hold(reason) }
    for (number, reason) in KeepAliveReasons.Reason.allCases.enumerated() {
      #expect(!reasons.isEmpty)
      reasons.end(reason)
      #expect(clock.calls == number + 1)
    }
    #expect(reasons.isEmpty)
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
    #expect(clock.calls == 0)
    // Another reason that begins and ends now changes nothing: the panel may still return.
    reasons.hold(.background)
    reasons.end(.background)
    #expect(!reasons.isEmpty)
  }

  @Test(arguments: [2, 11])
  func `closing a window ends the program unless the panel disappeared only shortly before`(seconds: Int) {
    reasons.hold(.trayIcon)
    reasons.lose(.trayIcon)
    clock.now += .seconds(seconds)
    reasons.forgetLost()
    #expect(reasons.isEmpty == (seconds == 11))
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
    #expect(clock.calls == 1)
  }
}

@MainActor
private final class FakeClock {
  var now = ContinuousClock.now
  /// How often the end of a reason was reported.
  var calls = 0
}
