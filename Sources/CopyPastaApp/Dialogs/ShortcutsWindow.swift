import GtkKit

/// The list of CopyPasta's keyboard shortcuts, the global one first.
@MainActor
final class ShortcutsWindow: Dialogs.Dialog {
  let window = Window(title: tr("Keyboard Shortcuts"))

  init(_ shortcut: ShortcutState) {
    let page = Box(.vertical, spacing: 18, Self.groups(shortcut).map(Self.view))
    // Make the page focusable, so that keys can scroll it although the rows have no controls. A screen reader reads the
    // labels in it.
    page.isFocusable = true
    page.setAccessibleRole(.group)
    page.setAccessibleName(tr("Keyboard Shortcuts"))
    page.addStyle("keys-page")
    window.show(page: page)
  }

  /// Makes a group's heading and, below it, a frame with a row for each shortcut.
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

  /// Makes the keycaps of a row, side by side or, if there is not enough room, below each other.
  private static func caps(of keys: [String]) -> Widget {
    let caps: [Widget] = keys.map {
      let cap = Label($0)
      // Wrap, because some keys have long names in some languages.
      cap.wrap()
      cap.addStyle("keycap")
      cap.align(horizontally: .end, vertically: .center)
      return cap
    }
    return caps.dropFirst().reduce(caps[0]) { ReflowingBox($0, $1) }
  }

  /// A heading with its shortcuts; the keys are labels for display, such as "Ctrl+C".
  private typealias Group = (title: String, shortcuts: [(title: String, keys: [String])])

  private static func groups(_ shortcut: ShortcutState) -> [Group] {
    [
      (
        title: tr("Everywhere"),
        shortcuts: [(tr("Show or hide the history"), [keys(of: shortcut)])]
      ),
      (
        title: tr("Items"),
        shortcuts: HistoryAction.ofTexts.map { ($0.title, $0.keys.map(label)) } + [
          // Add one entry for all nine digits, which `HistoryAction` does not list.
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

  /// The global shortcut's keys, or where to set them.
  static func keys(of shortcut: ShortcutState) -> String {
    switch shortcut {
    case .off, .notHeld: tr("Set Up in Preferences")
    case .starting, .held: shortcut.keys
    }
  }

  /// The keys as the user reads them, such as “Ctrl+C” for `<Control>c`.
  private static func label(_ trigger: String) -> String { Accelerator(trigger)?.label ?? trigger }
}
