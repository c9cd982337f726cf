import ClipHistory
import GtkKit

/// The user's settings, with the same keys and defaults as `data/org.copypasta.CopyPasta.gschema.xml`.
///
/// ```swift
/// let token = preferences.observe(.showsTrayIcon) { print(preferences[flag: .showsTrayIcon]) }
/// preferences[flag: .showsTrayIcon] = false   // calls the closure, as a change by another program would
/// ```
@MainActor
final class Preferences {
  /// A setting; the raw value is its key in the schema.
  enum Key: String, CaseIterable, Sendable {
    case shortcut
    /// Whether a window that the shortcut, `--toggle` or the tray has shown hides automatically.
    case hidesPopup = "hide-popup"
    case showsTrayIcon = "tray-icon"
    case sizeLimit = "size-limit"
    case previewLines = "preview-lines"
    case retentionPeriod = "keep-texts"
    /// Whether a device with haptics vibrates briefly after a copy.
    case usesHaptics = "haptics"

    /// The default, used if the settings have no schema.
    var initialValue: Variant {
      switch self {
      case .shortcut: .string("<Control><Super>v")
      case .hidesPopup, .showsTrayIcon, .usesHaptics: .bool(true)
      case .sizeLimit: .uint32(64)
      case .previewLines: .uint32(3)
      case .retentionPeriod: .string(RetentionPeriod.forever.rawValue)
      }
    }
  }

  /// The valid size limits, in MiB.
  nonisolated static let sizeLimits = 1...512

  nonisolated static let previewLines = 1...3

  private let settings: Settings
  private let changes = Observers<Key>()

  /// - Parameter schema: Nil for settings in memory, which are lost when the program ends.
  init(schema: SettingsSchema?) {
    let initial = Key.allCases.map { ($0.rawValue, $0.initialValue) }
    settings = Settings(schema, initially: Dictionary(uniqueKeysWithValues: initial)) { [changes] name in
      if let key = Key(rawValue: name) { changes.notify(key) }
    }
  }

  /// The global shortcut in GTK's accelerator syntax; empty for none.
  var shortcut: String {
    get { self[.shortcut].string ?? "" }
    set { self[.shortcut] = .string(newValue) }
  }

  subscript(flag key: Key) -> Bool {
    get { self[key].bool == true }
    set { self[key] = .bool(newValue) }
  }

  /// The size of the largest text that is recorded, in MiB; clamped to `sizeLimits`.
  var sizeLimitInMiB: Int {
    get { Int(self[.sizeLimit].uint32 ?? 64).clamped(to: Self.sizeLimits) }
    set { self[.sizeLimit] = .uint32(UInt32(newValue.clamped(to: Self.sizeLimits))) }
  }

  /// The maximum number of lines of a text that a row shows; clamped to `previewLines`.
  var previewLineCount: Int {
    get { Int(self[.previewLines].uint32 ?? 3).clamped(to: Self.previewLines) }
    set { self[.previewLines] = .uint32(UInt32(newValue.clamped(to: Self.previewLines))) }
  }

  /// How long items are kept; an invalid value counts as forever.
  var retentionPeriod: RetentionPeriod {
    get { self[.retentionPeriod].string.flatMap(RetentionPeriod.init) ?? .forever }
    set { self[.retentionPeriod] = .string(newValue.rawValue) }
  }

  /// An action for each key, with which controls change its value.
  var actions: ActionGroup { settings.actions }

  /// Whether settings are saved; false if the schema is not installed or the desktop does not store settings.
  var areKept: Bool { settings.areKept }

  /// Whether the user may change a setting; false if the system administrator has locked it.
  func isWritable(_ key: Key) -> Bool { settings.isWritable(key.rawValue) }

  /// Calls `body` after each change of a setting, by any program, while the token is held.
  func observe(_ key: Key, _ body: @escaping @MainActor () -> Void) -> ListenerToken {
    changes.add { if $0 == key { body() } }
  }

  private subscript(key: Key) -> Variant {
    get { settings[key.rawValue] ?? key.initialValue }
    set { if self[key] != newValue { settings.set(key.rawValue, to: newValue) } }
  }
}

extension Preferences {
  /// Adopts the settings of CopyPasta 1.2 that `hidesPopup` has replaced, and resets them.
  ///
  /// - Parameter schema: Their schema; nil if it is not installed.
  func adoptReplacedSettings(_ schema: SettingsSchema?) {
    let old = ["hide-after-copying", "hide-on-focus-loss"]
    let settings = Settings(
      schema, initially: Dictionary(uniqueKeysWithValues: old.map { ($0, .bool(false)) }))
    let chosen = old.compactMap { settings.userValue(of: $0)?.bool }
    guard !chosen.isEmpty else { return }
    self[flag: .hidesPopup] = chosen.contains(true)
    old.forEach(settings.reset)
  }
}

extension Int {
  func clamped(to range: ClosedRange<Int>) -> Int {
    Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}
