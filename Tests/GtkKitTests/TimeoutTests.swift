import Dispatch
import GtkTestSupport
import Synchronization
import TestSupport
import Testing

@testable import GtkKit

@MainActor
@Suite struct TimeoutTests {
  /// Runs the main loop until a later timeout fires.
  private func runLater() {
    var isLater = false
    let later = Timeout(after: .milliseconds(20)) { isLater = true }
    #expect(MainLoop.run(until: { isLater }, atMost: generousLimit))
    withExtendedLifetime(later) {}
  }

  @Test func `cancelling a task ends its wait for a timeout`() async throws {
    let waiting = Task { try await Timeout.wait(.seconds(3600)) }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
  }

  enum End: CaseIterable { case firing, cancelling, releasing }

  @Test(arguments: End.allCases)
  func `a timeout fires once, not after it was cancelled or released, and frees its closure`(_ end: End) {
    weak var captured: Token?
    var calls = 0
    do {
      let token = Token()
      captured = token
      let timeout = Timeout(after: .milliseconds(1)) {
        _ = token
        calls += 1
      }
      switch end {
      case .firing:
        #expect(MainLoop.run(until: { calls == 1 }, atMost: generousLimit))
        runLater()
      case .cancelling: timeout.cancel()
      case .releasing: break
      }
      withExtendedLifetime(timeout) {}
    }
    #expect(captured == nil)
    let before = calls
    runLater()
    #expect(calls == before && calls == (end == .firing ? 1 : 0))
    #expect(!MainLoop.run(until: { false }, atMost: .milliseconds(5)), "the limit")
  }

  @Test func `a due timeout that is released on another thread does not fire`() async throws {
    var calls = 0
    let holder = Mutex<Timeout?>(Timeout(after: .zero) { calls += 1 })
    let isDone = DispatchSemaphore(value: 0)
    DispatchQueue(label: "another thread").async {
      holder.withLock { $0 = nil }
      isDone.signal()
    }
    isDone.wait()
    runLater()
    #expect(calls == 0)
    // The timeout's deinit runs in the main actor's next turn; GLib would warn about a source that no longer exists.
    await Task {}.value
  }

  @Test func `a wait for an idle main loop ends once all due work is done`() async throws {
    var calls = 0
    var timeout: Timeout?
    func again() {
      calls += 1
      timeout = calls < 100 ? Timeout(after: .zero, again) : nil
    }
    again()
    let idle = Task {
      await MainLoop.idle()
      return calls
    }
    #expect(try await pumping { await idle.value } == 100)
    withExtendedLifetime(timeout) {}
  }
}
