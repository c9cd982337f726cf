import ClipHistory
import GtkKit

/// Something that the user can do with the history, declared here and nowhere else.
///
/// The menu of a row, keys, swipes and the keys window are made from `all`. `HistoryActionTests` compare it with what is
/// written by hand: the guide's table, and the style of a swipe. Arrows, Page Up, Page Down, Home and End are the list
/// view's own; Control with a digit is `Widget.onControlDigit`.
@MainActor
struct HistoryAction {
  /// Where an action can be called, and what it does there.
  enum Effect {
    /// With one row: its menu's, the one that is swiped, or the one in focus.
    case row(@MainActor (HistoryList, Clip.ID) -> Void)
    /// Anywhere in the window.
    case window(@MainActor (HistoryWindow) -> Void)
  }

  /// A swipe over a whole row.
  struct Swipe {
    /// The edge that the swipe begins at; in English the leading one is on the left.
    enum Edge { case leading, trailing }

    let edge: Edge
    /// The icon that the row uncovers as it follows the finger; the style sheet has it.
    let icon: String
  }

  /// The name, among the actions of rows or of the window.
  let name: String
  /// Says what the action does, for the window of keys.
  let title: String
  /// The entry in the menu of a row, with the letter that chooses it; nil if it is not in there.
  var entry: String?
  /// The keys that the documents name, as accelerators.
  var keys: [String] = []
  /// Those of `keys` that the menu of a row shows.
  var menuKeys: String?
  /// Whether it is last in the menu of a row.
  var isDestructive = false
  /// More keys that do the same.
  var otherKeys: [String] = []
  var swipe: Swipe?
  let effect: Effect

  // MARK: - The table

  /// All actions.
  static var all: [HistoryAction] { ofTexts + [close] }

  /// The actions on texts, in the order of the menu of a row and of the window of keys.
  static var ofTexts: [HistoryAction] {
    [
      HistoryAction(
        name: "copy", title: tr("Copy"), entry: tr("_Copy"), keys: ["Return", "space", "<Control>c"],
        menuKeys: "<Control>c",
        otherKeys: ["KP_Enter", "ISO_Enter", "KP_Space", "<Control>Insert"],
        swipe: Swipe(edge: .leading, icon: "edit-copy-symbolic"),
        effect: .row { list, id in list.controller.copy(id) }),
      HistoryAction(
        name: "copy-and-delete", title: tr("Copy and delete"), keys: ["<Control>x"],
        otherKeys: ["<Shift>Delete", "<Shift>KP_Delete"],
        effect: .row { list, id in list.controller.copyAndDelete(id) }),
      HistoryAction(
        name: "delete", title: tr("Delete"), entry: tr("_Delete"), keys: ["Delete"], menuKeys: "Delete",
        isDestructive: true, otherKeys: ["KP_Delete"],
        swipe: Swipe(edge: .trailing, icon: "user-trash-symbolic"),
        effect: .row { list, id in list.controller.delete(id) }),
      HistoryAction(
        name: "show", title: tr("View the full text"), entry: tr("_View Full Text"), keys: ["<Alt>Return"],
        menuKeys: "<Alt>Return", otherKeys: ["<Alt>KP_Enter", "<Alt>ISO_Enter"],
        effect: .row { list, id in list.controller.show(id) }),
      HistoryAction(
        name: "undo", title: tr("Undo the last deletion"), keys: ["<Control>z"],
        effect: .window { $0.controller?.undo() }),
      HistoryAction(
        name: "paste", title: tr("Add from clipboard"), keys: ["<Control>v"],
        otherKeys: ["<Shift>Insert", "<Shift>KP_Insert"], effect: .window { $0.controller?.paste() }),
      HistoryAction(
        name: "menu", title: tr("Open the menu of an item"), keys: ["Menu", "<Shift>F10"],
        effect: .row { list, id in list.openMenu(of: id) }),
    ]
  }

  /// The actions in the menu of a row, the one that deletes last.
  ///
  /// In one section: GTK 4.8 adds the separators of a menu after it has measured it, and cuts off its end.
  static var inMenu: [HistoryAction] {
    let actions = ofTexts.filter { $0.entry != nil }
    return actions.filter { !$0.isDestructive } + actions.filter(\.isDestructive)
  }

  static var close: HistoryAction {
    HistoryAction(
      name: "close", title: tr("Hide the window"), keys: ["Escape"], effect: .window { $0.closed() })
  }

  // MARK: -

  /// All keys of the action.
  var triggers: [String] { keys + otherKeys }

  /// The name in GTK: the group of its scope, and its name.
  var fullName: String {
    switch effect {
    case .row: "row." + name
    case .window: "win." + name
    }
  }

  /// The style of a row that is swiped for the action.
  var swipeStyle: String { "swiped-to-" + name }
}

/// Something that was done, as far as the list does not say it to a screen reader.
enum HistoryEvent {
  case copied, copiedAndDeleted, deleted, restored

  /// The words that a screen reader says.
  var message: String {
    switch self {
    case .copied: tr("Copied")
    case .copiedAndDeleted: tr("Copied and deleted, press Control Z to undo")
    case .deleted: tr("Deleted, press Control Z to undo")
    case .restored: tr("Restored")
    }
  }
}
