import GtkKit

/// A custom shortcut in GNOME's settings that runs `copypasta --toggle`, for GNOME without the shortcuts portal.
///
/// The user sees the shortcut in GNOME's settings under Keyboard, and can change its keys there. CopyPasta adds it
/// (`install`), changes it (`follow`) and removes it (`remove`) only at the user's request.
@MainActor
final class GnomeShortcut: GlobalShortcutController.Backend {
  private static let mediaKeys = "org.gnome.settings-daemon.plugins.media-keys"
  private static let path = "/org/gnome/settings-daemon/plugins/media-keys/custom-keybindings/copypasta/"
  private static let list = "custom-keybindings"

  /// The list of the paths of all custom shortcuts.
  private let paths: Settings
  private let entry: Settings
  private let command: String
  private var changesToken: ListenerToken?
  private var isWatched = false
  /// Never notified of a press, because GNOME runs a command, which calls this program over D-Bus.
  let observers = Observers<GlobalShortcutController.BackendEvent>()

  /// Returns the custom shortcut of this desktop; nil if the desktop is not GNOME or lacks the settings for custom
  /// shortcuts.
  static func ofDesktop() -> GnomeShortcut? {
    guard Desktop.names.contains("GNOME") else { return nil }
    return GnomeShortcut(command: ShortcutState.toggleCommand) { SettingsSchema($0) }
  }

  /// - Parameter lookUp: Returns the schema with the given id; nil if it is not installed.
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

  /// Whether the shortcut is in GNOME's list.
  var isSet: Bool { listed.contains(Self.path) }

  /// Adds the shortcut to GNOME's settings.
  ///
  /// - Returns: False if the system administrator has locked these settings.
  @discardableResult
  func install(_ keys: Accelerator) -> Bool {
    // Write the keys last, so that GNOME already has the command when it grabs them.
    let values = [
      ("name", tr("Show or Hide the Clipboard History")), ("command", command), ("binding", keys.name),
    ]
    let isWritten = values.allSatisfy { key, value in
      entry[key] == .string(value) || entry.set(key, to: .string(value))
    }
    return isWritten && (isSet || paths.set(Self.list, to: .strings(listed + [Self.path])))
  }

  /// Removes the shortcut from GNOME's settings.
  ///
  /// - Returns: False if the system administrator has locked these settings.
  @discardableResult
  func remove() -> Bool {
    guard isSet else { return true }
    guard paths.set(Self.list, to: .strings(listed.filter { $0 != Self.path })) else { return false }
    for key in ["name", "command", "binding"] { entry.reset(key) }
    return true
  }

  /// Applies the keys that the user has chosen in Preferences, if the shortcut is in GNOME's list; removes it if
  /// `shortcut` is empty.
  ///
  /// Ignores failures: if the settings are locked, GNOME's current keys still work, and the state names them.
  func follow(_ shortcut: String) {
    guard isSet else { return }
    if shortcut.isEmpty {
      remove()
    } else if let keys = Accelerator(shortcut), keys.objection == nil {
      install(keys)
    }
  }

  // MARK: - Backend

  /// Leaves the keys as they are, because the user may have changed them in GNOME's settings.
  func start(_ keys: Accelerator) async -> ShortcutState { watch() }

  /// Leaves GNOME's settings as they are, because the shortcut also starts the program.
  func stop() async { isWatched = false }

  /// Returns the state, and reports its changes from now on.
  func watch() -> ShortcutState {
    // The program may have been moved.
    if isSet, entry["command"] != .string(command) { entry.set("command", to: .string(command)) }
    isWatched = true
    return state
  }

  private func settingsChanged() {
    if isWatched { observers.notify(.became(state)) }
  }

  private var state: ShortcutState {
    guard isSet, let binding = entry["binding"]?.string else { return .notHeld(.unsupported) }
    guard let keys = Accelerator(binding) else { return .notHeld(.removed) }
    return .held(by: .gnome, name: keys.label)
  }

  private var listed: [String] { paths[Self.list]?.strings ?? [] }
}
