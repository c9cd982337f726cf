import GtkKit

/// The list of CopyPasta's keyboard shortcuts, the global one first.
@MainActor
final class ShortcutsWindow: Dialogs.Dialog {
  let window = Window(title: tr("Keyboard Shortcuts"))
  let messages: MessageBar
  private let shortcut: GlobalShortcutController
  private let shortcutCap = cap("")
  private var changes: ListenerToken?

  init(_ shortcut: GlobalShortcutController) {
    self.shortcut = shortcut
    func group(_ title: String, _ actions: [HistoryAction]) -> Widget {
      Self.view(of: title, actions.map { ($0.title, Self.caps(of: Self.keys(of: $0))) })
    }
    let global = Self.view(of: tr("Everywhere"), [(tr("Show or hide the history"), shortcutCap)])
    let others = [
      global, group(tr("Navigation"), HistoryAction.ofList), group(tr("Window"), HistoryAction.ofWindow),
    ]
    let columns = [
      Box(.vertical, [group(tr("Items"), HistoryAction.ofTexts)]), Box(.vertical, spacing: 18, others),
    ]
    for column in columns { column.expand(horizontally: true) }
    columns[0].bottomMargin = 12
    // Two columns, which need no scrolling on most screens; a narrow window has one.
    let page = Box(.vertical, [ReflowingBox(columns[0], columns[1])])
    // Make the page focusable, so that keys can scroll it although the rows have no controls. A screen reader reads the
    // labels in it.
    page.isFocusable = true
    page.setAccessibleRole(.group)
    page.setAccessibleName(tr("Keyboard Shortcuts"))
    page.addStyle("keys-page")
    messages = window.show(page: page, width: 880)
    changes = shortcut.changes.add(weakly(self) { $0.showShortcut() })
    showShortcut()
  }

  private func showShortcut() { shortcutCap.text = Self.keys(of: shortcut.state) }

  /// Makes a group's heading and, below it, a frame with a row for each shortcut.
  private static func view(of title: String, _ shortcuts: [(title: String, keys: Widget)]) -> Widget {
    let list = ListBox()
    for (title, keys) in shortcuts {
      let label = Label(title)
      label.wrap()
      let row = ReflowingBox(label, keys)
      row.addStyle("key-row")
      list.append(row)
    }
    let heading = Label(title)
    heading.wrap()
    heading.addStyle("heading")
    list.addStyle("boxed-list")
    list.setLabelledBy(heading)
    return Box(.vertical, spacing: 12, [heading, list])
  }

  /// Makes the keycaps of a row, side by side or, if there is not enough room, in lines of half as many.
  private static func caps(of keys: some Collection<String>) -> Widget {
    let half = keys.count / 2
    return half == 0
      ? cap(keys.first ?? "") : ReflowingBox(caps(of: keys.prefix(half)), caps(of: keys.dropFirst(half)))
  }

  private static func cap(_ key: String) -> Label {
    let cap = Label(key)
    // Wrap, because some keys have long names in some languages.
    cap.wrap()
    cap.addStyle("keycap")
    cap.align(horizontally: .end, vertically: .center)
    return cap
  }

  /// The keys of an action; the nine digits share one keycap.
  private static func keys(of action: HistoryAction) -> [String] {
    let digits = action.keys.filter { $0.hasSuffix("1") }.map { label($0) + "…9" }
    return digits.isEmpty ? action.keys.map(label) : digits
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
