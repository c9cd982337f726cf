import TestSupport
import Testing

/// Invalid D-Bus calls and floods of calls, which must not disturb the program.
@Suite struct HostileCallsTests {
  private static let nonsense = [
    ["org.gtk.Actions.Activate", "toggle", "[<1>]", "{}"],
    ["org.gtk.Actions.Activate", "toggle", "[<1>, <2>, <3>]", "{}"],
    ["org.gtk.Actions.Activate", "no-such-action", "[]", "{}"],
    ["org.gtk.Actions.Activate", "toggle"],
    ["org.gtk.Actions.Activate", "[1, 2]", "'x'", "{}"],
    ["org.gtk.Actions.SetState", "toggle", "<1>", "{}"],
    ["org.gtk.Actions.Describe", "no-such-action"],
    ["org.freedesktop.Application.ActivateAction", "quit", "[<'now'>]", "{}"],
    ["org.freedesktop.Application.ActivateAction", "no-such-action", "[]", "{}"],
    ["org.freedesktop.Application.Activate", "5"],
    ["org.freedesktop.Application.Open", "['file:///etc/passwd']", "{}"],
    ["org.gtk.Application.Open", "['file:///etc/passwd']", "x", "{}"],
    ["org.gtk.Application.CommandLine", "/", "[b'a']", "{}"],
    ["org.gtk.Application.NoSuchMethod"],
  ]

  @Test func `invalid D-Bus calls are refused, and an activation token of the wrong type is ignored`()
    async throws
  {
    try await Scene.run { scene in
      try await scene.desktop.waitForName()
      for call in Self.nonsense {
        let answer = try await scene.desktop.call(call)
        #expect(answer.exit != .code(0), "\(call)")
        #expect(answer.errors.contains("Error"), "\(call): \(answer.errors)")
      }
      let token = "{'desktop-startup-id': <5>, 'activation-token': <[1, 2]>}"
      #expect(
        try await scene.desktop.call(["org.freedesktop.Application.Activate", token]).exit == .code(0))
      try await scene.capture("the program keeps recording")
    }
  }
}
