import GtkKit

/// The preferences, whose changes take effect immediately.
@MainActor
final class PreferencesWindow: Dialogs.Dialog {
  let window = Window(title: tr("Preferences"))
  private let preferences: Preferences
  private let startsAtLogin: PreferenceRow
  private let retention: RetentionMenu
  let shortcut: ShortcutGroup

  init(_ services: AppServices) {
    let preferences = services.preferences
    self.preferences = preferences
    shortcut = ShortcutGroup(
      preferences, services.shortcut, in: window, clipboard: services.clipboard)
    startsAtLogin = PreferenceRow(
      .startsAtLogin, of: preferences, tr("_Start at Login"),
      tr(
        "CopyPasta starts hidden, ready for the shortcut. It still reads the clipboard only while its window is active."
      ))
    retention = RetentionMenu(services, in: window)
    let warnings = preferences.areKept ? [] : [Self.warning]
    window.show(page: Box(.vertical, spacing: 24, warnings + [shortcut.root] + groups.map(\.root)))
  }

  /// Shows in its row why *Start at Login* was reset.
  func showStartAtLoginError(_ message: String) { startsAtLogin.showError(message) }

  private static var warning: Widget {
    let label = Label(
      tr(
        "Changes are not saved: the settings schema is not installed, or the desktop does not store settings."
      ))
    label.wrap()
    label.addStyle("warning")
    return label
  }

  private lazy var groups: [PreferenceGroup] = [
    PreferenceGroup(
      tr("Behaviour"),
      [
        PreferenceRow(
          .hidesAfterCopying, of: preferences, tr("Hide After _Copying"),
          tr("Return to your app straight away, ready to paste.")),
        PreferenceRow(
          .hidesOnFocusLoss, of: preferences, tr("Hide When Switching _Windows"),
          tr("The window hides when you go to another window.")),
        PreferenceRow(
          previewLinesOf: preferences, tr("Preview Li_nes"), tr("How much of an item the list shows.")),
        PreferenceRow(
          .usesHaptics, of: preferences, tr("_Vibrate After Copying"),
          tr("The device buzzes briefly, if it can vibrate.")),
      ]),
    PreferenceGroup(
      tr("Desktop"),
      [
        PreferenceRow(
          .showsTrayIcon, of: preferences, tr("_Tray Icon"),
          tr("An icon with a menu, on desktops that have a tray.")),
        startsAtLogin,
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
