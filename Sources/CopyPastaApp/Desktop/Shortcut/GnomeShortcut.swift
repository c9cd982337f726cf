import GtkKit

/// The custom shortcut in GNOME's settings that runs `copypasta --toggle`, for GNOME without the shortcuts portal.
///
/// The user sees the shortcut in GNOME's settings under Keyboard, and can change its keys there. Only `setUp` and
/// `remove` write to these settings, each at a click on a button.
@MainActor
final class GnomeShortcut {
  private static let mediaKeys = "org.gnome.settings-daemon.plugins.media-keys"
  private static let path = "/org/gnome/settings-daemon/plugins/media-keys/custom-keybindings/copypasta/"
  private static let list = "custom-keybindings"

  /// The list of the paths of all custom shortcuts.
  private let paths: Settings
  private let entry: Settings
  private let command: String
  let changes = Observers<Void>()

  /// Returns the custom shortcut of this desktop; nil if the desktop is not GNOME or lacks the settings for custom
  /// shortcuts, and in a sandbox, which cannot reach them.
  static func ofDesktop() -> GnomeShortcut? {
    guard Desktop.names.contains("GNOME"), !Desktop.isFlatpak else { return nil }
    return GnomeShortcut(command: CopyPasta.command + " --toggle") { SettingsSchema($0) }
  }

  /// - Parameter lookUp: Returns the schema with the given id; nil if it is not installed.
  init?(command: String, lookUp: @MainActor (String) -> SettingsSchema?) {
    guard let schema = lookUp(Self.mediaKeys), schema.initialValue(of: Self.list)?.strings != nil,
      let entrySchema = lookUp(Self.mediaKeys + ".custom-keybinding"), entrySchema.path == nil
    else { return nil }
    self.command = command
    paths = Settings(schema, initially: [Self.list: .strings([])]) { [changes] _ in changes.notify() }
    entry = Settings(
      entrySchema, at: Self.path,
      initially: ["name": .string(""), "command": .string(""), "binding": .string("")]
    ) { [changes] _ in changes.notify() }
  }

  /// Whether the shortcut is in GNOME's list.
  var isSet: Bool { listed.contains(Self.path) }

  /// The keys that GNOME has for the shortcut; nil if the shortcut is not set or has no keys.
  var keys: Accelerator? { isSet ? entry["binding"]?.string.flatMap { Accelerator($0) } : nil }

  /// Whether the shortcut is set with these keys and this program's command.
  func isSet(to keys: Accelerator) -> Bool { self.keys == keys && entry["command"] == .string(command) }

  /// Adds the shortcut, or changes its keys; returns false if the system administrator has locked these settings.
  func setUp(_ keys: Accelerator) -> Bool {
    // Write the keys last, so that GNOME already has the command when it grabs them.
    let values = [
      ("name", tr("Show or Hide the Clipboard History")), ("command", command), ("binding", keys.name),
    ]
    let isWritten = values.allSatisfy { key, value in
      entry[key] == .string(value) || entry.set(key, to: .string(value))
    }
    return isWritten && (isSet || paths.set(Self.list, to: .strings(listed + [Self.path])))
  }

  /// Removes the shortcut; returns false if the system administrator has locked these settings.
  func remove() -> Bool {
    guard isSet else { return true }
    guard paths.set(Self.list, to: .strings(listed.filter { $0 != Self.path })) else { return false }
    for key in ["name", "command", "binding"] { entry.reset(key) }
    return true
  }

  private var listed: [String] { paths[Self.list]?.strings ?? [] }
}
