import TestSupport
import Testing

/// The events requested from the real feedbackd.
@Suite(.keepsPictures) struct HapticsTests {
  @Test func `a copy requests an event that feedbackd knows`() async throws {
    try await Scene.run(with: ["kept"]) { scene in
      let feedbackd = try scene.desktop.start(
        ["/usr/libexec/feedbackd"], environment: ["G_MESSAGES_DEBUG": "all", "G_DEBUG": ""])
      let name = "org.sigxcpu.Feedback"
      try await scene.desktop.run(["gdbus", "wait", "--session", "--timeout=20", name]).succeeded()
      let answers = try scene.desktop.start(["gdbus", "monitor", "--session", "-d", name])
      try await answers.waitUntil("the monitor") { !$0.isEmpty }
      try await scene.desktop.press("Home", "Return")
      try await scene.expectClipboard("kept")
      // Each event ends with a signal, whose last number is -1 if the theme does not know the event.
      var end: String?
      try await answers.waitUntil("the event's end\n\(feedbackd.errors)") { lines in
        end = lines.first { $0.contains("FeedbackEnded") }
        return end != nil
      }
      #expect(end?.contains("(uint32 1, uint32 0)") == true, "\(end ?? "")")
    }
  }
}
