import ClipHistory
import GtkKit

/// The settings, files, clocks and desktop services that the program's parts share.
@MainActor
final class AppServices {
  let windowSystem: any WindowSystem
  let location: HistoryLocation
  let windowState: KeyFile
  let hints: Hints
  let pause = ReadingPause()
  let now: @Sendable () -> Int64
  /// Reads the clocks, to find the expired items.
  let clock: @Sendable () -> ClockReading
  private let makePreferences: @MainActor () -> Preferences
  private let makeShortcuts: @MainActor () -> [any GlobalShortcutController.Backend]

  init(
    windowSystem: any WindowSystem = makeWindowSystem(), location: HistoryLocation,
    windowState: KeyFile, hints: Hints,
    now: @escaping @Sendable () -> Int64, clock: (@Sendable () -> ClockReading)? = nil,
    preferences: @escaping @MainActor () -> Preferences,
    shortcuts: @escaping @MainActor () -> [any GlobalShortcutController.Backend]
  ) {
    self.windowSystem = windowSystem
    self.location = location
    self.windowState = windowState
    self.hints = hints
    self.now = now
    self.clock = clock ?? { .now(wallTime: now()) }
    makePreferences = preferences
    makeShortcuts = shortcuts
  }

  /// The settings, read at their first use so that the first frame does not wait for them.
  private(set) lazy var preferences = makePreferences()

  private(set) lazy var startAtLogin = StartAtLogin.ofDesktop()

  private(set) lazy var shortcut = GlobalShortcutController(
    preferences, backends: makeShortcuts(), gnome: GnomeShortcut.ofDesktop())

  /// Creates the services for the user's own history, settings and desktop.
  static func live() -> AppServices {
    let windowSystem = makeWindowSystem()
    return AppServices(
      windowSystem: windowSystem, location: .ofThisUser,
      windowState: KeyFile(path: Desktop.Folders.state + "/copypasta/state.ini", group: "window"),
      hints: Hints(keptIn: KeyFile(path: Desktop.Folders.state + "/copypasta/hints.ini", group: "hints")),
      now: { Format.now },
      preferences: livePreferences, shortcuts: { liveShortcutBackends(on: windowSystem) })
  }

  private static func livePreferences() -> Preferences {
    let schema = SettingsSchema(CopyPasta.id)
    if schema == nil { printError(tr("Settings are not saved: their schema is not installed.")) }
    let preferences = Preferences(schema: schema)
    preferences.adoptReplacedSettings(SettingsSchema(CopyPasta.id + ".Replaced"))
    return preferences
  }

  /// The global shortcut backends that this desktop may support, the preferred one first.
  private static func liveShortcutBackends(
    on windowSystem: any WindowSystem
  ) -> [any GlobalShortcutController.Backend] {
    var backends: [any GlobalShortcutController.Backend] = []
    // A grab is reliable and carries the time of the press.
    if let grab = windowSystem.makeKeyGrab() { backends.append(grab) }
    // KDE restores a shortcut that it granted before. Other desktops may list such a shortcut, but it works only after
    // a new request.
    return backends + [PortalShortcut(remembers: Desktop.names.contains("KDE"))]
  }
}

extension HistoryLocation {
  /// The history of the user who runs the program.
  static var ofThisUser: HistoryLocation { HistoryLocation(folder: Desktop.Folders.data + "/copypasta") }
}
