import ClipboardCore
import Foundation
import GtkKit
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

  @Test func `a changed setting is stored and reported once`() {
    let preferences = Preferences(schema: nil)
    let changes = Changes()
    let token = preferences.observe(.showsTrayIcon) { changes.count += 1 }
    preferences[flag: .showsTrayIcon] = true
    #expect(changes.count == 0, "reported although the value was the same")
    preferences[flag: .showsTrayIcon] = false
    #expect(changes.count == 1)
    #expect(!preferences[flag: .showsTrayIcon])
    preferences[flag: .usesHaptics] = false
    #expect(changes.count == 1, "reported for another key")
    withExtendedLifetime(token) {}
  }

  @Test func `every preference property has its own settings key`() {
    let preferences = Preferences(schema: nil)
    let changes = Changes()
    let tokens = Preferences.Key.allCases.map { key in preferences.observe(key) { changes.keys.append(key) } }
    for key in Preferences.Key.allCases where key.initialValue.bool != nil { preferences[flag: key].toggle() }
    preferences.shortcut = ""
    preferences.sizeLimitInMiB = 1
    preferences.previewLineCount = 1
    preferences.retentionPeriod = .week
    #expect(changes.keys.map(\.rawValue).sorted() == Preferences.Key.allCases.map(\.rawValue).sorted())
    withExtendedLifetime(tokens) {}
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

@MainActor
private final class Changes {
  var count = 0
  var keys: [Preferences.Key] = []
}
