import TestSupport
import Testing

/// The events requested from the real feedbackd.
@Suite struct HapticsTests {
  @Test func `a copy requests an event that feedbackd knows`() async throws {
    try await Scene.run(with: ["kept"]) { scene in
      let feedbackd = try scene.desktop.start(
        ["/usr/libexec/feedbackd"], environment: ["G_MESSAGES_DEBUG": "all", "G_DEBUG": ""])
      let name = "org.sigxcpu.Feedback"
      let arrival = try await scene.desktop.run(["gdbus", "wait", "--session", "--timeout=20", name])
      #expect(arrival.exit == .code(0))
      let answers = try scene.desktop.start(["gdbus", "monitor", "--session", "-d", name])
      try await waitUntil("the monitor") { !answers.output.isEmpty }
      try await scene.desktop.press("Home", "Return")
      try await scene.expectClipboard("kept")
      // Each event ends with a signal, whose last number is -1 if the theme does not know the event.
      let end = try await waitFor("the event's end\n\(feedbackd.errors)") {
        String(decoding: answers.output, as: UTF8.self).split(separator: "\n").first {
          $0.contains("FeedbackEnded")
        }
      }
      #expect(end.contains("(uint32 1, uint32 0)"), "\(end)")
    }
  }
}
