import ClipHistory
import GtkKit

/// Everything that the window works with, built in one place and handed on from here.
@MainActor
final class AppServices {
  let clipboard: any SystemClipboard
  let location: HistoryLocation
  let windowState: KeyFile
  let hints: Hints
  /// Whether the user has paused reading the clipboard.
  let pause = ReadingPause()
  /// Deletes the items that are older than the user wants to keep.
  private(set) lazy var retention = Retention(
    { [unowned self] in preferences }, clock: { [now] in .now(wallTime: now()) })
  let now: @Sendable () -> Int64
  private let openHistory: @MainActor () -> Result<History, StoreError>
  private var openedHistory: Result<History, StoreError>?
  private let makePreferences: @MainActor () -> Preferences
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
    makePreferences = preferences
    makeShortcuts = shortcuts
  }

  /// The history, opened when it is first asked for: a program that starts hidden does without.
  var history: Result<History, StoreError> {
    let history = openedHistory ?? openHistory()
    openedHistory = history
    return history
  }

  /// The settings; read when they are first asked for, so that the first frame need not wait for it.
  private(set) lazy var preferences = makePreferences()

  /// The keys that call the history up from every program.
  private(set) lazy var shortcut = GlobalShortcutController(preferences, backends: makeShortcuts())

  /// The services of the program itself: the user's history, settings and desktop.
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

  /// Forgets the history, which must not be open, and is opened anew when it is next asked for.
  func forgetHistory() { openedHistory = nil }

  /// Recovers a damaged history, which must not be open; nil if there was nothing to recover.
  func recoverHistory() async throws(StoreError) -> HistoryRecovery.Outcome? {
    forgetHistory()
    return try await HistoryRecovery().recover(location)
  }

  /// Closes what is open; waits a moment for what is being written.
  ///
  /// The window must be gone.
  func close() {
    Settings.flush()
    MainLoop.finish(atMost: .seconds(2)) { await self.closeHistory() }
  }

  /// Closes the history, after what is being written.
  func closeHistory() async { await releasedStore()?.close() }

  /// The store, once the reader is closed: the last connection to close folds the log into the file, which a reader may
  /// not.
  private func releasedStore() -> HistoryStore? {
    defer { forgetHistory() }
    guard case .success(let history) = openedHistory else { return nil }
    // A task that is still running may hold the list, and the reader with it.
    history.reader.close()
    return history.store
  }

  private static func livePreferences() -> Preferences {
    let schema = SettingsSchema(CopyPasta.id)
    if schema == nil { printError(tr("Settings are not saved: their schema is not installed.")) }
    return Preferences(schema: schema)
  }

  /// The backends for a global shortcut that this desktop may have, the best one first.
  private static func liveShortcutBackends() -> [any GlobalShortcutController.Backend] {
    var backends: [any GlobalShortcutController.Backend] = []
    // GNOME's comes first: to every other backend, keys in GNOME's settings are taken by somebody else. From a
    // sandbox these settings are out of reach.
    if !Desktop.isFlatpak, let gnome = GnomeShortcut.ofDesktop() { backends.append(gnome) }
    // A grab is certain, and brings the time of the press along; but under Xwayland no press would reach it.
    if case .x11(let name) = Display.backend, !Desktop.isWayland {
      backends.append(KeyGrabShortcut(display: name))
    }
    let refused = KeyFile(path: Desktop.Folders.state + "/copypasta/shortcut.ini", group: "refused-shortcut")
    // KDE gives back a shortcut that it granted once. Elsewhere it may be listed, and work only if asked for again.
    return backends + [PortalShortcut(refused: refused, remembers: Desktop.names.contains("KDE"))]
  }

  private static func systemClipboard() -> any SystemClipboard {
    switch Display.backend {
    case .x11(let name): X11Clipboard(display: name)
    case .wayland, .other:
      // Without a display the program ends with a line before it gets here (`CopyPasta.start`).
      if let clipboard = Clipboard.ofDisplay {
        GdkClipboard(clipboard)
      } else {
        preconditionFailure("no display")
      }
    }
  }
}

extension HistoryLocation {
  /// The history that the program keeps for its user.
  static var ofThisUser: HistoryLocation { HistoryLocation(folder: Desktop.Folders.data + "/copypasta") }
}

/// The two connections to the history.
@MainActor
struct History {
  /// Writes, and reads whole texts, off the main thread.
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
