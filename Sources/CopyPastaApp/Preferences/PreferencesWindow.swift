import GtkKit

/// The window of the settings; each takes effect at once.
@MainActor
final class PreferencesWindow: Dialogs.Dialog {
  let window = Window(title: tr("Preferences"))
  private let preferences: Preferences
  private var rows: [Preferences.Key: PreferenceRow] = [:]
  private let keepTime: KeepTimeMenu
  let shortcut: ShortcutGroup

  init(_ services: AppServices) {
    let preferences = services.preferences
    self.preferences = preferences
    shortcut = ShortcutGroup(
      preferences, services.shortcut, in: window, clipboard: services.clipboard)
    keepTime = KeepTimeMenu(services, in: window)
    window.addStyle("preferences")
    window.defaultSize = (480, 700)
    window.setTitlebar(HeaderBar())
    let page = Box(.vertical, spacing: 24, (preferences.areKept ? [] : [Self.warning]) + groups)
    page.addStyle("page")
    window.setChild(ScrolledWindow(child: page))
  }

  /// Says why a setting went back, in its row.
  func report(_ message: String, of key: Preferences.Key) { rows[key]?.report(message) }

  private static var warning: Widget {
    let label = Label(
      tr(
        "Changes are not saved: the settings schema is not installed, or the desktop does not store settings."
      ))
    label.wrap()
    label.addStyle("warning")
    return label
  }

  private var groups: [Widget] { [shortcut.root, behaviour.root, desktop.root, storage.root] }

  private var behaviour: PreferenceGroup {
    PreferenceGroup(
      tr("Behaviour"),
      [
        row(
          .hidesAfterCopying, \.hidesAfterCopying, tr("Hide After _Copying"),
          tr("The window hides after you copy a text, so that you can paste the text at once.")),
        row(
          .hidesOnFocusLoss, \.hidesOnFocusLoss, tr("Hide When _Focus Is Lost"),
          tr("The window hides when you go to another window.")),
        row(
          .usesHaptics, \.usesHaptics, tr("_Vibrate After Copying"),
          tr("The device buzzes briefly, if it can vibrate.")),
      ])
  }

  private var desktop: PreferenceGroup {
    PreferenceGroup(
      tr("Desktop"),
      [
        row(
          .showsTrayIcon, \.showsTrayIcon, tr("_Tray Icon"),
          tr("An icon with a menu, on desktops that have a tray.")),
        row(
          .startsAtLogin, \.startsAtLogin, tr("_Start at Login"),
          tr("CopyPasta starts hidden, and still reads the clipboard only while its window is active.")),
      ])
  }

  private var storage: PreferenceGroup {
    PreferenceGroup(
      tr("Storage"),
      [
        kept(
          .sizeLimit,
          PreferenceRow(
            sizeLimitOf: preferences, tr("_Largest Text"),
            tr("In MiB. A larger text is not recorded, and the window says so."))),
        keepTime.row,
      ])
  }

  private func row(
    _ key: Preferences.Key, _ value: ReferenceWritableKeyPath<Preferences, Bool>, _ title: String,
    _ explanation: String
  ) -> PreferenceRow {
    kept(key, PreferenceRow(key, value, of: preferences, title, explanation))
  }

  private func kept(_ key: Preferences.Key, _ row: PreferenceRow) -> PreferenceRow {
    rows[key] = row
    return row
  }
}
