import GtkKit

/// The keys that CopyPasta knows.
@MainActor
final class ShortcutsWindow: Dialog {
  let window = Window(shortcuts: groups)

  /// All of them, as GTK writes accelerators.
  static var groups: [Window.ShortcutGroup] {
    [
      .init(
        title: tr("Texts"),
        shortcuts: [
          (tr("Copy"), ["Return", "space", "<Control>c"]),
          (tr("Copy one of the nine newest"), ["<Control>1...9"]),
          (tr("Copy and delete"), ["<Control>x"]),
          (tr("Delete"), ["Delete"]),
          (tr("Bring back what was deleted"), ["<Control>z"]),
          (tr("Record what is on the clipboard"), ["<Control>v"]),
          (tr("Open the menu of a text"), ["Menu", "<Shift>F10"]),
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
