import GtkKit

/// The user's settings: every key, typed, once.
///
/// `data/org.copypasta.CopyPasta.gschema.xml` has the same.
///
/// ```swift
/// let token = preferences.observe(.showsTrayIcon) { print(preferences.showsTrayIcon) }
/// preferences.showsTrayIcon = false   // calls it, as a change by another program would
/// ```
@MainActor
final class Preferences {
  /// A setting, by its name in the schema.
  enum Key: String, CaseIterable, Sendable {
    case shortcut
    case hidesAfterCopying = "hide-after-copying"
    case hidesOnFocusLoss = "hide-on-focus-loss"
    case showsTrayIcon = "tray-icon"
    case startsAtLogin = "start-at-login"
    case sizeLimit = "size-limit"
    case keepTime = "keep-texts"
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
  private let observers = Dictionary(uniqueKeysWithValues: Key.allCases.map { ($0, Observers<Void>()) })

  /// The settings of a schema; nil for some that last as long as the program.
  init(schema: SettingsSchema?) {
    let initial = Key.allCases.map { ($0.rawValue, $0.initialValue) }
    settings = Settings(schema, initially: Dictionary(uniqueKeysWithValues: initial)) { [observers] name in
      if let key = Key(rawValue: name) { observers[key]?.notify() }
    }
  }

  /// The global shortcut, as GTK writes accelerators; empty for none.
  var shortcut: String {
    get { self[.shortcut].string ?? "" }
    set { self[.shortcut] = .string(newValue) }
  }

  /// Whether the window hides once a text was copied.
  var hidesAfterCopying: Bool {
    get { flag(.hidesAfterCopying) }
    set { self[.hidesAfterCopying] = .bool(newValue) }
  }

  /// Whether the window hides when another one becomes active.
  var hidesOnFocusLoss: Bool {
    get { flag(.hidesOnFocusLoss) }
    set { self[.hidesOnFocusLoss] = .bool(newValue) }
  }

  /// Whether there is an icon in the tray, if the desktop has a tray.
  var showsTrayIcon: Bool {
    get { flag(.showsTrayIcon) }
    set { self[.showsTrayIcon] = .bool(newValue) }
  }

  /// Whether the program starts hidden when the user logs in.
  var startsAtLogin: Bool {
    get { flag(.startsAtLogin) }
    set { self[.startsAtLogin] = .bool(newValue) }
  }

  /// The largest text that is recorded, in bytes; kept in whole MiB, within `sizeLimits`.
  var sizeLimit: Int {
    get { sizeLimitInMiB << 20 }
    set { sizeLimitInMiB = newValue >> 20 }
  }

  /// The same in MiB.
  var sizeLimitInMiB: Int {
    get { Int(self[.sizeLimit].uint32 ?? 64) }
    set { self[.sizeLimit] = .uint32(UInt32(newValue.clamped(to: Self.sizeLimits))) }
  }

  /// How long texts are kept; a value that is none of the choices counts as always.
  var keepTime: KeepTime {
    get { self[.keepTime].string.flatMap(KeepTime.init) ?? .always }
    set { self[.keepTime] = .string(newValue.rawValue) }
  }

  /// Whether the device buzzes shortly when a text was copied, if it can.
  var usesHaptics: Bool {
    get { flag(.usesHaptics) }
    set { self[.usesHaptics] = .bool(newValue) }
  }

  /// Whether the values outlast the program; false if the schema is not installed or the desktop keeps none.
  var areKept: Bool { settings.areKept }

  /// Whether a setting may be changed; false if the system's administrator has locked it.
  func isWritable(_ key: Key) -> Bool { settings.isWritable(key.rawValue) }

  /// Calls `body` after each change of a setting, whoever made it, for as long as the token is kept.
  func observe(_ key: Key, _ body: @escaping @MainActor () -> Void) -> ListenerToken {
    observers[key, default: Observers()].add(body)
  }

  private func flag(_ key: Key) -> Bool { self[key].bool == true }

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
    let days: Int64
    switch self {
    case .always: return nil
    case .year: days = 365
    case .threeMonths: days = 90
    case .month: days = 30
    case .week: days = 7
    case .day: days = 1
    }
    return days * 86_400_000_000
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
