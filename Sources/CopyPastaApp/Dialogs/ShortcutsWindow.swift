import GtkKit

/// The keys that CopyPasta knows.
@MainActor
final class ShortcutsWindow: Dialogs.Dialog {
  let window = Window(title: tr("Keyboard Shortcuts"))

  init() {
    window.show(page: Box(.vertical, spacing: 24, Self.groups.map(Self.view)))
  }

  /// A heading, and a row for each thing to do, which the arrow keys and a screen reader go through.
  private static func view(of group: Group) -> Widget {
    let list = ListBox()
    for (title, keys) in group.shortcuts {
      let words = Label(title)
      let names = Label(keys.map(Accelerator.label).joined(separator: " / "))
      for label in [words, names] {
        label.wrap()
        // The row's name has both.
        label.setAccessibleRole(.presentation)
      }
      names.addStyle("keys")
      let content = ReflowingBox(words, names)
      content.addStyle("preference")
      list.append(content, isFocusable: true)
        .setAccessibleName(title + ": " + keys.map(Accelerator.label).joined(separator: ", "))
    }
    return PreferenceGroup.frame(group.title, list)
  }

  /// Keys that have something in common.
  private typealias Group = (title: String, shortcuts: [(title: String, keys: [String])])

  private static var groups: [Group] {
    [
      (
        title: tr("Texts"),
        shortcuts: HistoryAction.ofTexts.map { ($0.title, $0.keys) } + [
          (tr("Copy one of the nine newest texts"), ["<Control>1...9"])
        ]
      ),
      (
        title: tr("Navigation"),
        shortcuts: [
          (tr("Newer or older text"), ["Up", "Down"]),
          (tr("A page up or down"), ["Page_Up", "Page_Down"]),
          (tr("Newest or oldest text"), ["Home", "End"]),
        ]
      ),
      (
        title: tr("Window"),
        shortcuts: [
          (tr("Main menu"), ["F10"]),
          (tr("Preferences"), ["<Control>comma"]),
          (tr("Keyboard shortcuts"), ["<Control>question"]),
          (HistoryAction.close.title, HistoryAction.close.keys),
          (tr("Quit"), ["<Control>q"]),
        ]
      ),
    ]
  }
}

extension Accelerator {
  /// The user's words for keys in GTK's words: `<Control>c`, or `<Control>1...9` for several.
  fileprivate static func label(_ keys: String) -> String {
    guard let last = keys.last, keys.dropLast().hasSuffix("...") else {
      return Accelerator(keys)?.label ?? keys
    }
    return label(String(keys.dropLast(4))) + "…" + String(last)
  }
}
