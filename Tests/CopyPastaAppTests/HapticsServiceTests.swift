import GtkKit
import GtkTestSupport
import Testing

@testable import CopyPastaApp

@MainActor
@Suite struct HapticsServiceTests {
  private static let introspection = """
    <node>
      <interface name="org.sigxcpu.Feedback">
        <method name="TriggerFeedback">
          <arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="a{sv}" direction="in"/>
          <arg type="i" direction="in"/><arg type="u" direction="out"/>
        </method>
      </interface>
    </node>
    """

  @Test func `a copy requests vibration only while the preference is on`() async throws {
    let scene = try await BusScene.start()
    var asked: [Variant] = []
    let trigger: Bus.Method = { arguments in
      asked.append(arguments)
      return [.uint32(1)]
    }
    let service = [
      try scene.client.export(
        Self.introspection, at: "/org/sigxcpu/Feedback", methods: ["TriggerFeedback": trigger]),
      scene.client.ownName("org.sigxcpu.Feedback"),
    ]
    let preferences = Preferences(schema: nil)
    let haptics = Haptics(preferences: preferences) { [bus = scene.service] () throws(BusError) in bus }
    try await scene.settle()
    haptics.copied()
    try await pump("the first event") { asked.count == 1 }
    #expect(asked[0].type == "(ssa{sv}i)")
    #expect(asked[0][0]?.string == "org.copypasta.CopyPasta")
    #expect(asked[0][1]?.string == "button-pressed")
    preferences[flag: .usesHaptics] = false
    haptics.copied()
    preferences[flag: .usesHaptics] = true
    haptics.copied()
    try await pump("the third event") { asked.count == 2 }
    try await scene.settle()
    #expect(asked.count == 2)
    withExtendedLifetime(service) {}
  }
}
