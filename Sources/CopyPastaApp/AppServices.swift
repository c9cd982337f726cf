import ClipHistory
import GtkKit

/// A value that is loaded at its first use.
@MainActor
private final class Loaded<Value> {
  private let load: @MainActor () -> Value
  private(set) lazy var value = load()

  init(by load: @escaping @MainActor () -> Value) { self.load = load }
}

/// Builds and owns the objects that the program's parts share; each part receives them from here.
@MainActor
final class AppServices {
  let clipboard: any SystemClipboard
  let location: HistoryLocation
  let windowState: KeyFile
  let hints: Hints
  let pause = ReadingPause()
  // Do not reference the services, because a run may outlive them.
  private(set) lazy var retention = Retention(
    { [loadedPreferences] in loadedPreferences.value }, clock: { [now] in .now(wallTime: now()) })
  let now: @Sendable () -> Int64
  private let openHistory: @MainActor () -> Result<History, StoreError>
  private var openedHistory: Result<History, StoreError>?
  private let loadedPreferences: Loaded<Preferences>
  private let makeShortcuts: @MainActor () -> [any GlobalShortcutController.Backend]

  init(
    clipboard: any SystemClipboard, location: HistoryLocation, windowState: KeyFile, hints: Hints,
    now: @escaping @Sendable () -> Int64,
    history: @escaping @MainActor () -> Result<History, StoreError>,
    preferences: @escaping @MainActor () -> Preferences,
    shortcuts: @escaping @MainActor () -> [any GlobalShortcutController.Backend]
  ) {
    self.clipboard = clipboard
    self.location = location
    self.windowState = windowState
    self.hints = hints
    self.now = now
    openHistory = history
    loadedPreferences = Loaded(by: preferences)
    makeShortcuts = shortcuts
  }

  /// The history, opened at its first use because a program that starts hidden may not need the history.
  var history: Result<History, StoreError> {
    let history = openedHistory ?? openHistory()
    openedHistory = history
    return history
  }

  /// The settings, read at their first use so that the first frame does not wait for them.
  var preferences: Preferences { loadedPreferences.value }

  private(set) lazy var shortcut = GlobalShortcutController(preferences, backends: makeShortcuts())

  /// Creates the services for the user's own history, settings and desktop.
  static func live() -> AppServices {
    let location = HistoryLocation.ofThisUser
    return AppServices(
      clipboard: systemClipboard(), location: location,
      windowState: KeyFile(path: Desktop.Folders.state + "/copypasta/state.ini", group: "window"),
      hints: Hints(keptIn: KeyFile(path: Desktop.Folders.state + "/copypasta/hints.ini", group: "hints")),
      now: { Format.now },
      history: { Result { () throws(StoreError) in try History(at: location) } },
      preferences: livePreferences, shortcuts: liveShortcutBackends)
  }

  /// Forgets the opened history, or the error from opening it, so that the next use opens the history again; close the
  /// store of an open history first.
  func forgetHistory() {
    // Close the reader explicitly, because the list or a running task may still retain it. A reader that takes no locks,
    // as on a full disk, would otherwise drop the locks of the history that is opened next.
    if case .success(let history) = openedHistory { history.reader.close() }
    openedHistory = nil
  }

  /// Recovers a damaged history, which must be closed; returns nil if there was nothing to recover.
  func recoverHistory() async throws(StoreError) -> HistoryRecovery.Outcome? {
    forgetHistory()
    return try await HistoryRecovery().recover(location)
  }

  /// Writes the settings and closes the history, waiting at most two seconds for pending writes.
  ///
  /// Destroy the window first.
  func close() {
    Settings.flush()
    MainLoop.finish(atMost: .seconds(2)) { await self.releasedStore()?.close() }
  }

  /// Closes the reader and returns the store, which the caller closes afterwards.
  ///
  /// The last connection to close checkpoints the write-ahead log, which the read-only reader cannot do.
  private func releasedStore() -> HistoryStore? {
    defer { forgetHistory() }
    return if case .success(let history) = openedHistory { history.store } else { nil }
  }

  private static func livePreferences() -> Preferences {
    let schema = SettingsSchema(CopyPasta.id)
    if schema == nil { printError(tr("Settings are not saved: their schema is not installed.")) }
    return Preferences(schema: schema)
  }

  /// The global shortcut backends that this desktop may support, the preferred one first.
  private static func liveShortcutBackends() -> [any GlobalShortcutController.Backend] {
    var backends: [any GlobalShortcutController.Backend] = []
    // GNOME's settings come first, because keys that are set there appear taken to every other backend. A sandbox
    // cannot reach these settings.
    if !Desktop.isFlatpak, let gnome = GnomeShortcut.ofDesktop() { backends.append(gnome) }
    // A grab is reliable and carries the time of the press, but under Xwayland no press would reach it.
    if case .x11(let name) = Display.backend, !Desktop.isWayland {
      backends.append(KeyGrabShortcut(display: name))
    }
    let refused = KeyFile(path: Desktop.Folders.state + "/copypasta/shortcut.ini", group: "refused-shortcut")
    // KDE restores a shortcut that it granted before. Other desktops may list such a shortcut, but it works only after
    // a new request.
    return backends + [PortalShortcut(refused: refused, remembers: Desktop.names.contains("KDE"))]
  }

  private static func systemClipboard() -> any SystemClipboard {
    switch Display.backend {
    case .x11(let name): X11Clipboard(display: name)
    case .wayland, .other:
      // Unreachable: without a display, `CopyPasta.start` exits with a message first.
      if let clipboard = Clipboard.ofDisplay {
        GdkClipboard(clipboard)
      } else {
        preconditionFailure("no display")
      }
    }
  }
}

extension HistoryLocation {
  /// The history of the user who runs the program.
  static var ofThisUser: HistoryLocation { HistoryLocation(folder: Desktop.Folders.data + "/copypasta") }
}

/// The open history: its two connections.
@MainActor
struct History {
  /// Writes clips and reads whole texts, on its own thread.
  let store: HistoryStore
  /// Reads pages for the list, on the main thread.
  let reader: HistoryReader

  init(at location: HistoryLocation) throws(StoreError) {
    store = try HistoryStore(location: location) { key, text in
      Checksum.hmacSHA256(key: key, of: text.bytes)
    }
    reader = try HistoryReader(location: location)
  }
}
