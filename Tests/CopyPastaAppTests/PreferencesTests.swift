import ClipboardCore
import Foundation
import GtkKit
import GtkTestSupport
import TestSupport
import Testing

@testable import CopyPastaApp

@MainActor
@Suite(.serialized) struct PreferencesTests {
  @Test func `the settings schema has the same keys and defaults as the code`() async throws {
    let folder = try TemporaryFolder()
    try await compileSettingsSchemas(Self.data, into: folder.path)
    let schema = try #require(SettingsSchema(CopyPasta.id, compiledIn: folder.path))
    #expect(Set(schema.keys) == Set(Preferences.Key.allCases.map(\.rawValue)))
    for key in Preferences.Key.allCases {
      #expect(schema.initialValue(of: key.rawValue) == key.initialValue, "\(key)")
    }
  }

  @Test func `every preference property has its own settings key`() {
    let preferences = Preferences(schema: nil)
    var changes: [String] = []
    let tokens = Preferences.Key.allCases.map { key in
      preferences.observe(key) { changes.append(key.rawValue) }
    }
    for key in Preferences.Key.allCases where key.initialValue.bool != nil { preferences[flag: key].toggle() }
    preferences.shortcut = ""
    preferences.sizeLimitInMiB = 1
    preferences.previewLineCount = 1
    preferences.retentionPeriod = .week
    #expect(changes.sorted() == Preferences.Key.allCases.map(\.rawValue).sorted())
    withExtendedLifetime(tokens) {}
  }

  @Test(
    arguments: [([true, nil], true), ([nil, false], false), ([true, false], true), ([nil, nil], nil)])
  func `settings of CopyPasta 1.2 are adopted once`(_ old: [Bool?], hides: Bool?) async throws {
    keepSettingsInMemory()
    let folder = try TemporaryFolder()
    try await compileSettingsSchemas(Self.data, into: folder.path)
    let replaced = try #require(SettingsSchema(CopyPasta.id + ".Replaced", compiledIn: folder.path))
    let settings = Settings(
      replaced, initially: ["hide-after-copying": .bool(false), "hide-on-focus-loss": .bool(false)])
    for (key, value) in zip(["hide-after-copying", "hide-on-focus-loss"], old) {
      if let value { settings.set(key, to: .bool(value)) }
    }
    let preferences = Preferences(schema: nil)
    // The default must not decide.
    preferences[flag: .hidesPopup] = hides != true
    for _ in 1...2 {
      preferences.adoptReplacedSettings(replaced)
      #expect(preferences[flag: .hidesPopup] == hides ?? true)
      #expect(replaced.keys.allSatisfy { settings.userValue(of: $0) == nil })
    }
  }

  @Test func `the size limit preference is clamped to its range`() {
    let preferences = Preferences(schema: nil)
    #expect(preferences.sizeLimitInMiB << 20 == TransferLimits().bytes)
    preferences.sizeLimitInMiB = 0
    #expect(preferences.sizeLimitInMiB == 1)
    preferences.sizeLimitInMiB = .max
    #expect(preferences.sizeLimitInMiB == 512)
  }

  @Test func `the metainfo states the default size limit`() throws {
    let description = try String(
      contentsOfFile: Self.data + "/org.copypasta.CopyPasta.metainfo.xml.in", encoding: .utf8)
    #expect(description.contains("up to \(TransferLimits().bytes >> 20) MiB each"))
  }

  private static let data = Fixture.checkout + "/data"
}
