import GtkKit

/// Lists the keys that CopyPasta knows, the global shortcut first.
@MainActor
final class ShortcutsWindow: Dialogs.Dialog {
  let window = Window(title: tr("Keyboard Shortcuts"))

  /// - Parameter shortcut: the state of the global shortcut.
  init(_ shortcut: ShortcutState) {
    let page = Box(.vertical, spacing: 18, Self.groups(shortcut).map(Self.view))
    // The rows do nothing, so the page itself has the focus, and with it the keys that scroll. A screen reader reads the
    // labels within.
    page.isFocusable = true
    page.setAccessibleRole(.group)
    page.setAccessibleName(tr("Keyboard Shortcuts"))
    page.addStyle("keys-page")
    window.show(page: page)
  }

  /// A heading, and a row for each thing to do.
  private static func view(of group: Group) -> Widget {
    let list = ListBox()
    for (title, keys) in group.shortcuts {
      let label = Label(title)
      label.wrap()
      let row = ReflowingBox(label, caps(of: keys))
      row.addStyle("key-row")
      list.append(row)
    }
    return PreferenceGroup.frame(group.title, list)
  }

  /// The keys next to each other, or below each other if there is no room.
  private static func caps(of keys: [String]) -> Widget {
    let caps: [Widget] = keys.map {
      let cap = Label($0)
      // Some keys have long names in some languages.
      cap.wrap()
      cap.addStyle("keycap")
      cap.align(horizontally: .end, vertically: .center)
      return cap
    }
    return caps.dropFirst().reduce(caps[0]) { ReflowingBox($0, $1) }
  }

  /// Keys that have something in common, by the user's names of the keys.
  private typealias Group = (title: String, shortcuts: [(title: String, keys: [String])])

  private static func groups(_ shortcut: ShortcutState) -> [Group] {
    [
      (
        title: tr("Everywhere"),
        shortcuts: [(tr("Open or close the history"), [shortcut.keys])]
      ),
      (
        title: tr("Items"),
        shortcuts: HistoryAction.ofTexts.map { ($0.title, $0.keys.map(label)) } + [
          // The digits are not shortcuts of GTK, so there is one entry for all of them.
          (tr("Copy one of the nine newest items"), [label("<Control>1") + "…9"])
        ]
      ),
      (
        title: tr("Navigation"),
        shortcuts: [
          (tr("Newer or older item"), [label("Up"), label("Down")]),
          (tr("A page up or down"), [label("Page_Up"), label("Page_Down")]),
          (tr("Newest or oldest item"), [label("Home"), label("End")]),
        ]
      ),
      (
        title: tr("Window"),
        shortcuts: [
          (tr("Main menu"), [label("F10")]),
          (tr("Preferences"), [label("<Control>comma")]),
          (tr("Keyboard shortcuts"), [label("<Control>question")]),
          (HistoryAction.close.title, HistoryAction.close.keys.map(label)),
          (tr("Quit"), [label("<Control>q")]),
        ]
      ),
    ]
  }

  /// The user's name of keys, such as “Ctrl+C” for `<Control>c`.
  private static func label(_ trigger: String) -> String { Accelerator(trigger)?.label ?? trigger }
}
