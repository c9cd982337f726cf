import GtkKit
import SerialQueue

/// The preferences, whose changes take effect immediately.
@MainActor
final class PreferencesWindow: Dialogs.Dialog {
  let window = Window(title: tr("Preferences"))
  private let preferences: Preferences
  private let startsAtLogin: PreferenceRow
  let messages: MessageBar
  private let retention: RetentionMenu
  private let vibrates: PreferenceRow
  private let trayIcon: PreferenceRow
  /// Watches on the services for haptic feedback and for the tray icon.
  private var watches: [Bus.Registration] = []
  let shortcut: ShortcutGroup

  /// - Parameter connect: Returns the bus with the services for haptic feedback and for the tray icon.
  init(
    _ services: AppServices, _ session: HistorySession,
    connect: @escaping @MainActor () async throws(BusError) -> Bus = Bus.session
  ) {
    let preferences = services.preferences
    self.preferences = preferences
    shortcut = ShortcutGroup(
      preferences, services.shortcut, in: window, copy: { [session] in await session.copy(command: $0) })
    startsAtLogin = PreferenceRow(
      .startsAtLogin, of: preferences, tr("_Start at Login"),
      tr(
        "Start hidden, ready for the shortcut. Nothing is recorded until you open the window."
      ))
    let page = Box(.vertical, spacing: 24)
    messages = window.show(page: page)
    retention = RetentionMenu(session, messages)
    vibrates = PreferenceRow(
      .usesHaptics, of: preferences, tr("_Vibrate After Copying"), tr("A short buzz confirms each copy."))
    // Hide the row until the haptics service, which runs on phones and tablets, is found.
    vibrates.isShown = false
    trayIcon = PreferenceRow(.showsTrayIcon, of: preferences, tr("_Tray Icon"), Self.trayExplanation)
    let warnings = preferences.areKept ? [] : [Self.warning]
    window.onPress { [clipboard = session.clipboard] in clipboard.notePress(at: $0) }
    (warnings + [shortcut.root] + groups.map(\.root)).forEach(page.append)
    Task.unpooled { [weak self] in
      var bus: Bus?
      do throws(BusError) { bus = try await connect() } catch {}
      if let bus { self?.watchServices(on: bus) } else { self?.showTray(false) }
      if let obstacle = await StartAtLogin.obstacle(on: bus) { self?.showStartAtLoginUnavailable(obstacle) }
    }
  }

  private func watchServices(on bus: Bus) {
    watches = [
      bus.watchName(Haptics.service.name) { [weak self] _ in
        self?.vibrates.isShown = true
      } vanished: { [weak self] in
        self?.vibrates.isShown = false
      },
      bus.watchName(TrayIcon.watcher.name) { [weak self] _ in
        self?.showTray(true)
      } vanished: { [weak self] in
        self?.showTray(false)
      },
    ]
  }

  private static var trayExplanation: String { tr("Show the history and pause recording from the panel.") }

  private func showTray(_ isThere: Bool) {
    trayIcon.isAvailable = isThere
    trayIcon.explain(isThere ? Self.trayExplanation : tr("Not available: this desktop has no tray."))
  }

  private func showStartAtLoginUnavailable(_ obstacle: String) {
    startsAtLogin.isAvailable = false
    startsAtLogin.explain(ShortcutState.unbroken(obstacle), spoken: obstacle)
  }

  /// Shows why *Start at Login* was reset, in the row of that setting.
  func showStartAtLoginError(_ message: String) { startsAtLogin.showError(message) }

  private static var warning: Widget {
    let label = Label(
      tr(
        "Changes are lost when you quit: the settings schema is not installed, or your desktop does not store settings."
      ))
    label.wrap()
    label.addStyle("warning")
    return label
  }

  private lazy var groups: [PreferenceGroup] = [
    PreferenceGroup(
      tr("Behavior"),
      [
        PreferenceRow(
          .hidesPopup, of: preferences, tr("Hide _Automatically"),
          tr("After a copy, and when you switch to another app. A window from the app launcher stays.")),
        PreferenceRow(
          previewLinesOf: preferences, tr("Preview Li_nes"), tr("The number of lines shown for each item.")),
        vibrates,
      ]),
    PreferenceGroup(
      tr("Desktop"),
      [
        trayIcon, startsAtLogin,
      ]),
    PreferenceGroup(
      tr("Storage"),
      [
        PreferenceRow(
          sizeLimitOf: preferences, tr("Size _Limit (MiB)"),
          tr("Larger copies are skipped, with a notice.")),
        retention.row,
      ]),
  ]
}
