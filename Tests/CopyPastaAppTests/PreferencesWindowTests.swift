import ClipHistory
import GtkKit
import GtkTestSupport
import Testing

@testable import CopyPastaApp

@MainActor
@Suite(.serialized) struct PreferencesWindowTests {
  init() async throws { try await TestDisplay.open() }

  @Test func aSwitchChangesItsSettingAndFollowsIt() {
    let preferences = Preferences(schema: nil)
    let made = SettingSwitch(.showsTrayIcon, \.showsTrayIcon, of: preferences)
    #expect(made.root.isOn)
    made.root.isOn = false
    #expect(!preferences.showsTrayIcon)
    preferences.showsTrayIcon = true
    #expect(made.root.isOn)
  }

  @Test func aClickOnARowTurnsItsSwitchOver() {
    let preferences = Preferences(schema: nil)
    let made = SettingSwitch(.usesHaptics, \.usesHaptics, of: preferences)
    let row = made.row("Title", "Explanation")
    row.clicked?()
    #expect(!preferences.usesHaptics)
    made.root.isEnabled = false
    row.clicked?()
    #expect(!preferences.usesHaptics, "locked by the administrator")
  }

  @Test func theLargestTextIsSetInMiB() {
    let preferences = Preferences(schema: nil)
    let button = SizeLimitButton(preferences)
    #expect(button.root.value == 64)
    button.root.value = 8
    #expect(preferences.sizeLimit == 8 << 20)
    preferences.sizeLimit = 16 << 20
    #expect(button.root.value == 16)
  }

  @Test func theWindowGoesWithAllInItWhenItIsClosed() {
    let preferences = Preferences(schema: nil)
    let environment = Environment(
      clipboard: FakeClipboard(), location: HistoryLocation(folder: "/proc/none"),
      windowState: KeyFile(path: "/proc/none", group: ""), now: { 0 }, history: { .failure(.readOnly) },
      preferences: { preferences }, shortcuts: { [] })
    let application = Application(id: "org.copypasta.Test")
    var closed = 0
    let dialogs = Dialogs(of: application) { closed += 1 }
    dialogs.showPreferences(of: environment, above: nil)
    #expect(dialogs.areOpen)
    dialogs.close()
    #expect(!dialogs.areOpen)
    #expect(closed == 1)
    // Nobody is left to follow it.
    preferences.showsTrayIcon = false
  }
}
