import GtkKit

/// GNOME's own custom shortcut, which runs `copypasta --toggle`: for a GNOME whose portal has no shortcuts.
///
/// The shortcut is in GNOME's settings, where the user finds it under Keyboard: it is written only when the user asks
/// for it (`install`), and taken back likewise (`remove`).
@MainActor
final class GnomeShortcut: GlobalShortcutController.Backend {
  private static let mediaKeys = "org.gnome.settings-daemon.plugins.media-keys"
  private static let path = "/org/gnome/settings-daemon/plugins/media-keys/custom-keybindings/copypasta/"
  private static let list = "custom-keybindings"

  /// The paths of all custom shortcuts, and what is at ours.
  private let paths: Settings
  private let entry: Settings
  private let command: String
  private var changesToken: ListenerToken?
  private var keys: Accelerator?
  /// Told of no press: GNOME runs a program, which speaks to this one over D-Bus.
  let observers = Observers<GlobalShortcutController.BackendEvent>()

  /// The shortcut of this desktop; nil if that is no GNOME, or one without custom shortcuts.
  static func ofDesktop() -> GnomeShortcut? {
    guard Desktop.names.contains("GNOME") else { return nil }
    return GnomeShortcut(command: ShortcutState.toggleCommand) { SettingsSchema($0) }
  }

  /// - Parameter lookUp: finds a schema by its id; nil if it is not installed.
  init?(command: String, lookUp: @MainActor (String) -> SettingsSchema?) {
    guard let schema = lookUp(Self.mediaKeys), schema.initialValue(of: Self.list)?.strings != nil,
      let entrySchema = lookUp(Self.mediaKeys + ".custom-keybinding"), entrySchema.path == nil
    else { return nil }
    self.command = command
    let changes = Observers<Void>()
    paths = Settings(schema, initially: [Self.list: .strings([])]) { _ in changes.notify() }
    entry = Settings(
      entrySchema, at: Self.path,
      initially: ["name": .string(""), "command": .string(""), "binding": .string("")]
    ) { _ in changes.notify() }
    changesToken = changes.add(weakly(self) { shortcut, _ in shortcut.settingsChanged() })
  }

  /// Whether GNOME has the shortcut.
  var isSet: Bool { listed.contains(Self.path) }

  /// Adds the shortcut to GNOME's.
  ///
  /// - Returns: false if the system's administrator has locked those.
  @discardableResult
  func install(_ keys: Accelerator) -> Bool {
    // The keys come last: GNOME begins to listen to them when it knows what to run.
    let values = [
      ("name", tr("Show or Hide the Clipboard History")), ("command", command), ("binding", keys.name),
    ]
    let isWritten = values.allSatisfy { key, value in
      entry[key] == .string(value) || entry.set(key, to: .string(value))
    }
    return isWritten && (isSet || paths.set(Self.list, to: .strings(listed + [Self.path])))
  }

  /// Takes the shortcut out of GNOME's.
  ///
  /// - Returns: false if the system's administrator has locked those.
  @discardableResult
  func remove() -> Bool {
    guard isSet else { return true }
    guard paths.set(Self.list, to: .strings(listed.filter { $0 != Self.path })) else { return false }
    for key in ["name", "command", "binding"] { entry.reset(key) }
    return true
  }

  // MARK: - As a backend

  /// Keeps GNOME's keys the same as the ones that the user has set here, if GNOME has the shortcut.
  func start(_ keys: Accelerator) async -> ShortcutState {
    self.keys = keys
    // If GNOME's settings are locked, its present keys go on working, and are the ones to name.
    if isSet { install(keys) }
    return state
  }

  /// GNOME's settings stay: they are for when the program does not run, too.
  func stop() async { keys = nil }

  private func settingsChanged() {
    if keys != nil { observers.notify(.became(state)) }
  }

  private var state: ShortcutState {
    guard isSet, let binding = entry["binding"]?.string else { return .notHeld(.unsupported) }
    return .held(by: .gnome, name: Accelerator(binding)?.label)
  }

  private var listed: [String] { paths[Self.list]?.strings ?? [] }
}
