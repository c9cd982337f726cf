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
      (title: tr("Items"), shortcuts: HistoryAction.ofTexts.map(shown)),
      (title: tr("Navigation"), shortcuts: HistoryAction.ofList.map(shown)),
      (title: tr("Window"), shortcuts: HistoryAction.ofWindow.map(shown)),
    ]
  }

  /// An action's title and keys; the nine digits share one keycap.
  private static func shown(_ action: HistoryAction) -> (title: String, keys: [String]) {
    let keys = action.keys.count < 9 ? action.keys.map(label) : [label(action.keys[0]) + "…9"]
    return (action.title, keys)
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
