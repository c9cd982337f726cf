import GtkKit
import Testing

@testable import CopyPastaApp

/// Why the process lives on, and when nothing keeps it any more.
@MainActor
@Suite struct StayReasonsTests {
  @Test(arguments: [StayReasons.Reason.background, .offer])
  func theLastReasonToGoIsToldAtOnce(_ reason: StayReasons.Reason) {
    var calls = 0
    let reasons = StayReasons { calls += 1 }
    reasons.set(reason, holds: true)
    #expect(!reasons.isEmpty)
    reasons.set(reason, holds: false)
    #expect(reasons.isEmpty)
    #expect(calls == 1)
  }

  @Test func aReasonThatNeverHeldIsNotToldOf() {
    var calls = 0
    let reasons = StayReasons { calls += 1 }
    for reason in StayReasons.Reason.allCases { reasons.set(reason, holds: false) }
    #expect(reasons.isEmpty)
    #expect(calls == 0)
  }

  @Test func oneReasonIsEnough() {
    let reasons = StayReasons {}
    reasons.set(.background, holds: true)
    reasons.set(.offer, holds: true)
    reasons.set(.offer, holds: false)
    #expect(!reasons.isEmpty)
  }

  @Test(arguments: [StayReasons.Reason.trayIcon, .shortcut])
  func whatTheDesktopTakesAwayIsWaitedForAMoment(_ reason: StayReasons.Reason) {
    MainLoop.attachMainActor()
    var calls = 0
    let reasons = StayReasons(fadeTime: .milliseconds(50)) { calls += 1 }
    reasons.set(reason, holds: true)
    reasons.set(reason, holds: false)
    #expect(!reasons.isEmpty)
    #expect(MainLoop.run(until: { reasons.isEmpty }, atMost: .seconds(20)))
    #expect(calls == 1)
  }

  @Test func aPanelThatStartsAgainInTimeIsAsIfItHadNeverGone() {
    MainLoop.attachMainActor()
    var calls = 0
    let reasons = StayReasons(fadeTime: .milliseconds(50)) { calls += 1 }
    reasons.set(.trayIcon, holds: true)
    reasons.set(.trayIcon, holds: false)
    reasons.set(.trayIcon, holds: true)
    // A later reason's end is told, and the earlier one's is not.
    reasons.set(.shortcut, holds: true)
    reasons.set(.shortcut, holds: false)
    #expect(MainLoop.run(until: { calls > 0 }, atMost: .seconds(20)))
    #expect(calls == 1)
    #expect(!reasons.isEmpty)
  }
}
