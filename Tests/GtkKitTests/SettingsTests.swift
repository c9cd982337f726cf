import GtkTestSupport
import TestSupport
import Testing

@testable import GtkKit

/// Settings with a private schema, in memory (`GSETTINGS_BACKEND=memory`), and without a schema.
@MainActor
@Suite(.serialized) struct SettingsTests {
  private let folder: TemporaryFolder
  private let schema: SettingsSchema
  private let initial: [String: Variant] = [
    "sound": .bool(true), "name": .string("none"), "volume": .uint32(5), "unknown": .uint32(1),
    "list": .strings([]),
  ]

  init() async throws {
    keepSettingsInMemory()
    folder = try TemporaryFolder()
    try folder.write(Self.source, to: "test.gschema.xml")
    try await compileSettingsSchemas(folder.path, into: folder.path + "/compiled")
    // Tests share the process's memory backend, so the schema has a path of its own.
    schema = try #require(SettingsSchema(Self.id, compiledIn: folder.path + "/compiled"))
  }

  private static let id = "org.copypasta.Test"
  private static let source = """
    <schemalist><schema id="\(id)" path="/org/copypasta/test/">
      <key name="sound" type="b"><default>true</default></key>
      <key name="name" type="s"><default>''</default></key>
      <key name="volume" type="u"><range min="1" max="9"/><default>3</default></key>
      <key name="list" type="as"><default>['a', 'b']</default></key>
    </schema></schemalist>
    """

  @Test func `looking up a missing or invalid settings schema returns nil`() throws {
    #expect(SettingsSchema("org.copypasta.NotInstalled") == nil)
    #expect(SettingsSchema("org.copypasta.NotInstalled", compiledIn: folder.path + "/compiled") == nil)
    #expect(SettingsSchema(Self.id, compiledIn: folder.path + "/nothing") == nil)
    try folder.write("no schema", to: "gschemas.compiled")
    #expect(SettingsSchema(Self.id, compiledIn: folder.path) == nil)
  }

  @Test func `a settings schema's default overrides that in the code, and unsuitable values are refused`() {
    let settings = Settings(schema, initially: initial)
    #expect(!settings.areKept, "in memory")
    for (key, value): (String, Variant) in [
      ("volume", .uint32(10)), ("volume", .string("loud")), ("nothing", .bool(true)),
    ] {
      #expect(!settings.set(key, to: value))
    }
    #expect(settings["volume"] == .uint32(3))
    #expect(settings["unknown"] == .uint32(1))
    #expect(settings["sneaked in"] == nil)
  }

  @Test func `a changed setting is reported to and visible in other settings objects, until it is reset`() {
    let settings = Settings(schema, initially: initial)
    var told: [String] = []
    let other = Settings(schema, initially: initial) { told.append($0) }
    let changes: [(String, Variant)] = [
      ("name", .string("new")), ("sound", .bool(false)), ("list", .strings(["é", ""])),
    ]
    for (key, value) in changes { #expect(settings.set(key, to: value)) }
    #expect(MainLoop.run(until: { told.count == 3 }, atMost: generousLimit))
    #expect(told == ["name", "sound", "list"])
    for (key, value) in changes { #expect(other[key] == value) }
    #expect(settings.userValue(of: "name") == .string("new") && settings.userValue(of: "volume") == nil)
    for key in ["name", "sound", "list", "nothing"] { settings.reset(key) }
    for (key, _) in changes { #expect(settings[key] == schema.initialValue(of: key)) }
  }

  @Test func `settings without a schema are kept in memory only`() {
    var told: [String] = []
    let settings = Settings(nil, initially: initial) { told.append($0) }
    #expect(settings["volume"] == .uint32(5))
    #expect(settings.set("volume", to: .uint32(6)))
    #expect(settings.set("volume", to: .uint32(6)))
    #expect(settings["volume"] == .uint32(6))
    #expect(told == ["volume"])
    #expect(!settings.areKept)
    #expect(Settings(nil, initially: initial)["volume"] == .uint32(5))
  }
}
