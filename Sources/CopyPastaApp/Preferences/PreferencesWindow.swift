import GtkKit
import SerialQueue

/// The preferences, whose changes take effect immediately.
@MainActor
final class PreferencesWindow: Dialogs.Dialog {
  let window = Window(title: tr("Preferences"))
  let messages: MessageBar
  let shortcut: ShortcutGroup
  private let startsAtLogin: PreferenceRow
  private let trayIcon: PreferenceRow
  private let retention: RetentionMenu
  private let list: PreferenceList
  private var outcomes: ListenerToken?
  private var tray: TrayHost?

  /// - Parameter connect: Returns the bus that the tray is on.
  init(
    _ services: AppServices, _ session: HistorySession,
    connect: @escaping @MainActor () async throws(BusError) -> Bus = Bus.session
  ) {
    let preferences = services.preferences
    shortcut = ShortcutGroup(
      preferences, services.shortcut, in: window, copy: { [session] in await session.copy(command: $0) })
    let logins = ActionGroup()
    logins.add(services.startAtLogin.action)
    startsAtLogin = PreferenceRow(
      toggling: "start-at-login", of: logins, tr("_Start at Login"),
      tr("Starts hidden, so the shortcut always works."))
    trayIcon = PreferenceRow(
      toggling: .showsTrayIcon, of: preferences, tr("_Tray Icon"),
      tr("Show the history and pause recording from the panel."))
    let page = Box(.vertical, spacing: 12)
    messages = window.show(page: page)
    retention = RetentionMenu(session, messages)
    list = PreferenceList(
      shortcut.rows + [
        PreferenceRow(
          toggling: .hidesPopup, of: preferences, tr("Hide _Automatically"),
          tr("After a copy, and when you switch to another app. A window from the app launcher stays.")),
        startsAtLogin, trayIcon, retention.row,
        PreferenceRow(
          tr("Preview Li_nes"), tr("The number of lines shown for each item."),
          Self.lineButtons(preferences)),
      ])
    window.onPress { [clipboard = session.clipboard] in clipboard.notePress(at: $0) }
    outcomes = services.startAtLogin.outcomes.add(weakly(self) { $0.startsAtLogin.showError($1) })
    services.startAtLogin.refresh()
    list.root.setAccessibleName(tr("Preferences"))
    ((preferences.areKept ? [] : [Self.warning]) + [list.root]).forEach(page.append)
    // Everything fits without scrolling, also if a tray appears.
    window.fitContent()
    trayIcon.isShown = false
    Task.unpooled { [weak self, startAtLogin = services.startAtLogin] in
      var bus: Bus?
      do throws(BusError) { bus = try await connect() } catch {}
      if let self, let bus { tray = TrayHost(on: bus, changed: weakly(self) { $0.trayIcon.isShown = $1 }) }
      await startAtLogin.findObstacle(on: bus)
      if let obstacle = startAtLogin.obstacle {
        self?.startsAtLogin.explain(ShortcutState.unbroken(obstacle), spoken: obstacle)
      }
    }
  }

  private static func lineButtons(_ preferences: Preferences) -> Widget {
    let buttons = Preferences.previewLines.map { count in
      let words = trn("%s line", "%s lines", count).filled(with: Format.number(count))
      return ToggleButton(
        label: Format.number(count), name: words, action: "settings." + Preferences.Key.previewLines.rawValue,
        target: .uint32(UInt32(count)))
    }
    let box = Box(.horizontal, buttons)
    box.addStyle("linked")
    box.insert(preferences.actions, as: "settings")
    return box
  }

  private static var warning: Widget {
    let label = Label(
      tr(
        "Changes are lost when you quit: the settings schema is not installed, or your desktop does not store settings."
      ))
    label.wrap()
    label.addStyle("warning")
    return label
  }
}
