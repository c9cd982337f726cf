import Foundation
import GtkKit
import GtkTestSupport
import TestSupport
import Testing

@testable import CopyPastaApp

/// GNOME's custom shortcut, in settings that only this process sees (`GSETTINGS_BACKEND=memory`).
@MainActor @Suite(.serialized) struct GnomeShortcutTests {
  private static let mediaKeys = "org.gnome.settings-daemon.plugins.media-keys"
  private static let others = "/org/gnome/settings-daemon/plugins/media-keys/custom-keybindings/custom0/"
  private static let ours = "/org/gnome/settings-daemon/plugins/media-keys/custom-keybindings/copypasta/"

  private let folder: TemporaryFolder
  private let shortcut: GnomeShortcut
  /// The list of custom shortcuts, as GNOME reads it.
  private let places: Settings
  private let entry: Settings
  private let keys: Accelerator

  init() async throws {
    keepSettingsInMemory()
    let folder = try TemporaryFolder()
    self.folder = folder
    try folder.write(Self.source, to: "gnome.gschema.xml")
    try await compileSettingsSchemas(folder.path, into: folder.path)
    shortcut = try #require(
      GnomeShortcut(command: "copypasta --toggle") { SettingsSchema($0, compiledIn: folder.path) })
    places = Settings(
      SettingsSchema(Self.mediaKeys, compiledIn: folder.path), initially: ["custom-keybindings": .strings([])]
    )
    entry = Settings(
      SettingsSchema(Self.mediaKeys + ".custom-keybinding", compiledIn: folder.path), at: Self.ours,
      initially: ["name": .string(""), "command": .string(""), "binding": .string("")])
    keys = try #require(Accelerator("<Control><Super>v"))
    try #require(!places.areKept, "these are the user's own settings")
    shortcut.remove()
    places.set("custom-keybindings", to: .strings([Self.others]))
  }

  private static let source = """
    <schemalist>
      <schema id="\(mediaKeys)" path="/org/gnome/settings-daemon/plugins/media-keys/">
        <key name="custom-keybindings" type="as"><default>[]</default></key>
      </schema>
      <schema id="\(mediaKeys).custom-keybinding">
        <key name="name" type="s"><default>''</default></key>
        <key name="command" type="s"><default>''</default></key>
        <key name="binding" type="s"><default>''</default></key>
      </schema>
    </schemalist>
    """

  @Test func `GNOME's settings have the shortcut only after the user has set it up, and only once`()
    async
  {
    #expect(!shortcut.isSet)
    #expect(await shortcut.start(keys) == .notHeld(.unsupported))
    #expect(places["custom-keybindings"] == .strings([Self.others]) && entry["binding"] == .string(""))
    for _ in 1...2 { #expect(shortcut.install(keys)) }
    #expect(places["custom-keybindings"] == .strings([Self.others, Self.ours]))
    #expect(entry["command"] == .string("copypasta --toggle"))
    #expect(entry["binding"] == .string("<Control><Super>v"))
    #expect(entry["name"] != .string(""))
    #expect(await shortcut.start(keys) == .held(by: .gnome, name: "Ctrl+Super+V"))
    shortcut.remove()
    #expect(places["custom-keybindings"] == .strings([Self.others]))
    for key in ["name", "command", "binding"] { #expect(entry[key] == .string("")) }
    #expect(await shortcut.start(keys) == .notHeld(.unsupported))
  }

  @Test func `changes in GNOME's settings are reported, also that the keys are removed or not valid`() async {
    #expect(shortcut.install(keys))
    entry.set("command", to: .string("/gone/copypasta --toggle"))
    #expect(await shortcut.start(keys) == .held(by: .gnome, name: "Ctrl+Super+V"))
    #expect(entry["command"] == .string("copypasta --toggle"))
    var states: [ShortcutState] = []
    let token = shortcut.observers.add { if case .became(let state) = $0 { states.append(state) } }
    entry.set("binding", to: .string("nonsense"))
    #expect(states.last == .notHeld(.removed))
    entry.set("binding", to: .string("<Alt>F2"))
    #expect(states.last == .held(by: .gnome, name: "Alt+F2"))
    places.set("custom-keybindings", to: .strings([]))
    #expect(states.last == .notHeld(.unsupported))
    withExtendedLifetime(token) {}
  }

  @Test func `keys changed in GNOME's settings stay until the user chooses others`() async throws {
    #expect(shortcut.install(keys))
    entry.set("binding", to: .string("<Super>c"))
    let preferences = Preferences(schema: nil)
    let controller = GlobalShortcutController(preferences, backends: [shortcut])
    controller.start()
    #expect(try await eventually { controller.state == .held(by: .gnome, name: "Super+C") })
    controller.askAgain()
    #expect(try await eventually { controller.state == .held(by: .gnome, name: "Ctrl+Super+V") })
    preferences.shortcut = "<Alt>F1"
    #expect(try await eventually { controller.state == .held(by: .gnome, name: "Alt+F1") })
    entry.set("binding", to: .string(""))
    #expect(controller.state == .notHeld(.removed) && controller.gnomeChoice == .add)
    #expect(controller.choose(.add) == nil && entry["binding"] == .string("<Alt>F1"))
  }

  @Test func `GNOME's shortcut is offered if no other backend works, and removed when it is turned off`()
    async throws
  {
    let preferences = Preferences(schema: nil)
    let controller = GlobalShortcutController(preferences, backends: [shortcut, FakeShortcut()])
    controller.start()
    #expect(try await eventually { controller.state == .notHeld(.unsupported) })
    #expect(controller.gnomeChoice == .add)
    // The empty page does not suggest binding a command, which would take longer.
    #expect(controller.advice.command == nil)
    #expect(controller.advice.words.contains("Ctrl+Super+V"))
    #expect(controller.advice.words.contains("Set Up"))
    #expect(controller.choose(.add) == nil)
    #expect(try await eventually { controller.state == .held(by: .gnome, name: "Ctrl+Super+V") })
    #expect(controller.gnomeChoice == .remove)
    preferences.shortcut = ""
    #expect(try await eventually { controller.state == .off })
    #expect(controller.gnomeChoice == nil && places["custom-keybindings"] == .strings([Self.others]))
    // A shortcut in GNOME's settings works whatever the preference contains.
    preferences.shortcut = "nonsense"
    shortcut.install(keys)
    #expect(try await eventually { controller.state == .held(by: .gnome, name: "Ctrl+Super+V") })
    #expect(controller.gnomeChoice == .remove && controller.choose(.remove) == nil)
    #expect(try await eventually { controller.state == .notHeld(.malformed) })
  }

  /// The schema allows only an empty command, so writing fails as it does if an administrator has locked the key.
  @Test func `setting up the shortcut shows a message if GNOME's settings are locked`() async throws {
    let locked = try #require(
      try await schemaShortcut(
        replacing: "name=\"command\" type=\"s\">",
        with: "name=\"command\" type=\"s\"><choices><choice value=''/></choices>"))
    let controller = GlobalShortcutController(
      Preferences(schema: nil), backends: [locked, FakeShortcut()])
    controller.start()
    #expect(try await eventually { controller.gnomeChoice == .add })
    #expect(controller.choose(.add)?.contains("GNOME") == true)
    #expect(controller.gnomeChoice == .add && places["custom-keybindings"] == .strings([Self.others]))
  }

  @Test func `a missing or incompatible GNOME schema disables the GNOME backend`() async throws {
    #expect(GnomeShortcut(command: "") { SettingsSchema($0 + ".missing") } == nil)
    #expect(try await schemaShortcut(replacing: "type=\"as\"", with: "type=\"ai\"") == nil)
  }

  /// The shortcut with another schema; nil if the schema is not supported.
  private func schemaShortcut(replacing part: String, with other: String) async throws -> GnomeShortcut? {
    let source = Self.source.replacingOccurrences(of: part, with: other)
    try folder.write(source, to: "gnome.gschema.xml")
    try await compileSettingsSchemas(folder.path, into: folder.path + "/other")
    return GnomeShortcut(command: "copypasta --toggle") {
      SettingsSchema($0, compiledIn: folder.path + "/other")
    }
  }

  @Test(.enabled(if: Requirement.gnomeShortcuts.isMet, "\(Requirement.gnomeShortcuts)"))
  func `the installed GNOME schema is supported`() {
    #expect(GnomeShortcut(command: "copypasta --toggle") { SettingsSchema($0) } != nil)
  }
}
