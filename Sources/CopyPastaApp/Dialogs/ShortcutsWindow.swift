import GtkKit

/// The keys that CopyPasta knows.
@MainActor
final class ShortcutsWindow: Dialogs.Dialog {
  let window = Window(title: tr("Keyboard Shortcuts"), shortcuts: groups)

  /// Those of the history that are shown, of all that do the same: see `HistoryKey`.
  static var history: [(key: HistoryKey, title: String, keys: [String])] {
    [
      (.copy, tr("Copy"), ["Return", "space", "<Control>c"]),
      (.copyAndDelete, tr("Copy and delete"), ["<Control>x"]),
      (.delete, tr("Delete"), ["Delete"]),
      (.undo, tr("Bring back what was deleted"), ["<Control>z"]),
      (.paste, tr("Record what is on the clipboard"), ["<Control>v"]),
      (.menu, tr("Open the menu of a text"), ["Menu", "<Shift>F10"]),
    ]
  }

  private static var groups: [Window.ShortcutGroup] {
    [
      .init(
        title: tr("Texts"),
        shortcuts: history.map { ($0.title, $0.keys) } + [
          (tr("Copy one of the nine newest"), ["<Control>1...9"])
        ]),
      .init(
        title: tr("Moving"),
        shortcuts: [
          (tr("Newer or older text"), ["Up", "Down"]),
          (tr("A page up or down"), ["Page_Up", "Page_Down"]),
          (tr("Newest or oldest text"), ["Home", "End"]),
        ]),
      .init(
        title: tr("Window"),
        shortcuts: [
          (tr("Main menu"), ["F10"]),
          (tr("Preferences"), ["<Control>comma"]),
          (tr("Keyboard shortcuts"), ["<Control>question"]),
          (tr("Hide the window"), ["Escape"]),
          (tr("Quit"), ["<Control>q"]),
        ]),
    ]
  }
}
