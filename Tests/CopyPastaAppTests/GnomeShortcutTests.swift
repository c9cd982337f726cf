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
    _ = shortcut.remove()
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

  @Test func `GNOME's settings have the shortcut only after the user has set it up, and only once`() {
    #expect(!shortcut.isSet && shortcut.keys == nil)
    #expect(places["custom-keybindings"] == .strings([Self.others]) && entry["binding"] == .string(""))
    for _ in 1...2 { #expect(shortcut.setUp(keys)) }
    #expect(places["custom-keybindings"] == .strings([Self.others, Self.ours]))
    #expect(entry["command"] == .string("copypasta --toggle"))
    #expect(entry["binding"] == .string("<Control><Super>v"))
    #expect(entry["name"] != .string(""))
    #expect(shortcut.keys == keys && shortcut.isSet(to: keys))
    #expect(shortcut.remove())
    #expect(places["custom-keybindings"] == .strings([Self.others]))
    for key in ["name", "command", "binding"] { #expect(entry[key] == .string("")) }
    #expect(shortcut.keys == nil)
  }

  @Test(.tags(.writesNothingUnasked))
  func `GNOME's settings are not written unasked, and the state follows them`() async throws {
    #expect(shortcut.setUp(keys))
    let others: [(String, Variant)] = [
      ("command", .string("/my/copypasta --toggle")), ("binding", .string("<Super>c")),
      ("name", .string("Mine")),
    ]
    for (key, value) in others { entry.set(key, to: value) }
    let preferences = Preferences(schema: nil)
    let backend = FakeShortcut()
    backend.outcome = .held(by: .portal, name: "X")
    let controller = GlobalShortcutController(preferences, backends: [backend], gnome: shortcut)
    controller.start()
    #expect(try await eventually { controller.state == .held(by: .gnome, name: "Super+C") })
    controller.request()
    for setting in ["<Alt>F1", "", "nonsense"] {
      preferences.shortcut = setting
      await controller.awaitOutcome()
      #expect(controller.state == .held(by: .gnome, name: "Super+C"))
    }
    await controller.release()
    for (key, value) in others { #expect(entry[key] == value) }
    #expect(backend.asked == [] && !shortcut.isSet(to: keys))
  }

  @Test func `a custom shortcut without keys is replaced by another backend`() async throws {
    #expect(shortcut.setUp(keys))
    let backend = FakeShortcut()
    backend.outcome = .held(by: .portal, name: "X")
    let controller = GlobalShortcutController(
      Preferences(schema: nil), backends: [backend], gnome: shortcut)
    controller.start()
    #expect(try await eventually { controller.state == .held(by: .gnome, name: "Ctrl+Super+V") })
    entry.set("binding", to: .string("<Alt>F2"))
    #expect(try await eventually { controller.state == .held(by: .gnome, name: "Alt+F2") })
    entry.set("binding", to: .string(""))
    #expect(try await eventually { controller.state == .held(by: .portal, name: "X") })
    entry.set("binding", to: .string("<Alt>F2"))
    #expect(try await eventually { controller.state == .held(by: .gnome, name: "Alt+F2") })
    places.set("custom-keybindings", to: .strings([]))
    #expect(try await eventually { controller.state == .held(by: .portal, name: "X") })
  }

  /// The schema allows only an empty command, so writing fails as it does if an administrator has locked the key.
  @Test func `setting up the shortcut fails if GNOME's settings are locked`() async throws {
    let locked = try #require(
      try await schemaShortcut(
        replacing: "name=\"command\" type=\"s\">",
        with: "name=\"command\" type=\"s\"><choices><choice value=''/></choices>"))
    #expect(!locked.setUp(keys) && !locked.isSet)
    #expect(places["custom-keybindings"] == .strings([Self.others]))
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
