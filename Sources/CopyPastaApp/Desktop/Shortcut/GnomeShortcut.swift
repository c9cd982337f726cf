import GtkKit

/// A custom shortcut in GNOME's settings that runs `copypasta --toggle`, for GNOME without the shortcuts portal.
///
/// The user sees the shortcut in GNOME's settings under Keyboard. It is added (`install`) and removed (`remove`) only
/// at the user's request.
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
  private var keys: Accelerator?
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

  // MARK: - Backend

  /// Updates the keys in GNOME's settings, if the shortcut is there.
  func start(_ keys: Accelerator) async -> ShortcutState {
    self.keys = keys
    // Ignore failures: if the settings are locked, GNOME's current keys still work, and `state` names them.
    if isSet { install(keys) }
    return state
  }

  /// Leaves GNOME's settings as they are, because the shortcut also starts the program.
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
