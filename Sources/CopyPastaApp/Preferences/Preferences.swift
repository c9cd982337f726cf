import ClipHistory
import GtkKit

/// The user's settings: every key once.
///
/// `data/org.copypasta.CopyPasta.gschema.xml` has the same.
///
/// ```swift
/// let token = preferences.observe(.showsTrayIcon) { print(preferences[flag: .showsTrayIcon]) }
/// preferences[flag: .showsTrayIcon] = false   // calls it, as a change by another program would
/// ```
@MainActor
final class Preferences {
  /// A setting, by its name in the schema.
  enum Key: String, CaseIterable, Sendable {
    case shortcut
    /// Whether the window hides once a text was copied.
    case hidesAfterCopying = "hide-after-copying"
    /// Whether the window hides when another one becomes active.
    case hidesOnFocusLoss = "hide-on-focus-loss"
    /// Whether there is an icon in the tray, if the desktop has a tray.
    case showsTrayIcon = "tray-icon"
    /// Whether the program starts hidden when the user logs in.
    case startsAtLogin = "start-at-login"
    case sizeLimit = "size-limit"
    case previewLines = "preview-lines"
    case retentionPeriod = "keep-texts"
    /// Whether the device buzzes shortly when a text was copied, if it can.
    case usesHaptics = "haptics"

    /// The value that holds if the user set nothing.
    var initialValue: Variant {
      switch self {
      case .shortcut: .string("<Control><Super>v")
      case .hidesAfterCopying, .hidesOnFocusLoss, .startsAtLogin: .bool(false)
      case .showsTrayIcon, .usesHaptics: .bool(true)
      case .sizeLimit: .uint32(64)
      case .previewLines: .uint32(3)
      case .retentionPeriod: .string(RetentionPeriod.forever.rawValue)
      }
    }
  }

  /// The sizes that the largest text may be set to, in MiB.
  nonisolated static let sizeLimits = 1...512

  /// How many lines of a text the list may be set to show at most.
  nonisolated static let previewLines = 1...3

  private let settings: Settings
  private let changes = Observers<Key>()

  /// The settings of a schema; nil for some that last as long as the program.
  init(schema: SettingsSchema?) {
    let initial = Key.allCases.map { ($0.rawValue, $0.initialValue) }
    settings = Settings(schema, initially: Dictionary(uniqueKeysWithValues: initial)) { [changes] name in
      if let key = Key(rawValue: name) { changes.notify(key) }
    }
  }

  /// The global shortcut, as GTK writes accelerators; empty for none.
  var shortcut: String {
    get { self[.shortcut].string ?? "" }
    set { self[.shortcut] = .string(newValue) }
  }

  /// The value of a setting that is on or off.
  subscript(flag key: Key) -> Bool {
    get { self[key].bool == true }
    set { self[key] = .bool(newValue) }
  }

  /// The largest text that is recorded, in MiB, within `sizeLimits`.
  var sizeLimitInMiB: Int {
    get { Int(self[.sizeLimit].uint32 ?? 64) }
    set { self[.sizeLimit] = .uint32(UInt32(newValue.clamped(to: Self.sizeLimits))) }
  }

  /// How many lines of a text the list shows at most, within `previewLines`.
  var previewLineCount: Int {
    get { Int(self[.previewLines].uint32 ?? 3).clamped(to: Self.previewLines) }
    set { self[.previewLines] = .uint32(UInt32(newValue.clamped(to: Self.previewLines))) }
  }

  /// How long items are kept; a value that is no period counts as forever.
  var retentionPeriod: RetentionPeriod {
    get { self[.retentionPeriod].string.flatMap(RetentionPeriod.init) ?? .forever }
    set { self[.retentionPeriod] = .string(newValue.rawValue) }
  }

  /// Whether the values outlast the program; false if the schema is not installed or the desktop keeps none.
  var areKept: Bool { settings.areKept }

  /// Whether a setting may be changed; false if the system's administrator has locked it.
  func isWritable(_ key: Key) -> Bool { settings.isWritable(key.rawValue) }

  /// Calls `body` after each change of a setting, whoever made it, for as long as the token is kept.
  func observe(_ key: Key, _ body: @escaping @MainActor () -> Void) -> ListenerToken {
    changes.add { if $0 == key { body() } }
  }

  private subscript(key: Key) -> Variant {
    get { settings[key.rawValue] ?? key.initialValue }
    set { if self[key] != newValue { settings.set(key.rawValue, to: newValue) } }
  }
}

extension Int {
  /// The nearest number within a range.
  func clamped(to range: ClosedRange<Int>) -> Int {
    Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}
