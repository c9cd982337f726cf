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
    case keepTime = "keep-texts"
    /// Whether the device buzzes shortly when a text was copied, if it can.
    case usesHaptics = "haptics"

    /// The value that holds if the user set nothing.
    var initialValue: Variant {
      switch self {
      case .shortcut: .string("<Control><Super>v")
      case .hidesAfterCopying, .hidesOnFocusLoss, .startsAtLogin: .bool(false)
      case .showsTrayIcon, .usesHaptics: .bool(true)
      case .sizeLimit: .uint32(64)
      case .keepTime: .string(KeepTime.always.rawValue)
      }
    }
  }

  /// The sizes that the largest text may be set to, in MiB.
  nonisolated static let sizeLimits = 1...512

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

  /// How long texts are kept; a value that is none of the choices counts as always.
  var keepTime: KeepTime {
    get { self[.keepTime].string.flatMap(KeepTime.init) ?? .always }
    set { self[.keepTime] = .string(newValue.rawValue) }
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

/// How long texts are kept.
enum KeepTime: String, CaseIterable, Sendable {
  case always
  case year = "1-year"
  case threeMonths = "90-days"
  case month = "30-days"
  case week = "7-days"
  case day = "1-day"

  /// In microseconds; nil for always.
  var duration: Int64? {
    let days: [KeepTime: Int64] = [.year: 365, .threeMonths: 90, .month: 30, .week: 7, .day: 1]
    return days[self].map { $0 * 86_400_000_000 }
  }

  /// Whether more texts go than with another choice.
  func isShorter(than other: KeepTime) -> Bool { duration ?? .max < other.duration ?? .max }
}

extension Int {
  /// The nearest number within a range.
  func clamped(to range: ClosedRange<Int>) -> Int {
    Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}
