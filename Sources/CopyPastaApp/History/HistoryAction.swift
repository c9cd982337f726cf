import ClipHistory
import GtkKit

/// A user action with keys, or keys that GTK handles; all of them are declared here.
///
/// The menus, keys, swipes and the shortcuts window are built from `all`. The guide's table and the swipe styles are
/// not, so `HistoryActionTests` compares them with it.
@MainActor
struct HistoryAction {
  /// The scope of an action, and its implementation.
  enum Effect {
    /// Acts on one row: the row with the open menu, the swiped row or the focused row.
    case row(@MainActor (HistoryList, Clip.ID) -> Void)
    case window(@MainActor (HistoryWindow) -> Void)
    /// An action with this full name, which another part of the program adds.
    case named(String)
    /// Keys that GTK or `Widget.onDigit` handles.
    case builtIn
  }

  struct Swipe {
    /// The edge of the row that the swipe uncovers; the leading edge is on the left in English.
    enum Edge { case leading, trailing }

    let edge: Edge
    /// The icon that the moving row uncovers; the style sheet names the same icon.
    let icon: String
  }

  /// The GTK action's name in its group.
  let name: String
  /// The description for the shortcuts window.
  let title: String
  /// The label in a row's menu, with its mnemonic; nil if the action is not in the menu.
  var entry: String?
  /// The keys in the guide and in the shortcuts window, as accelerators.
  var keys: [String] = []
  /// The key from `keys` that a row's menu shows.
  var menuKeys: String?
  /// Whether the action is listed last in a row's menu, because it is destructive.
  var isDestructive = false
  /// The same keys on a number pad or in another layout, which the guide and the shortcuts window leave out.
  var otherKeys: [String] = []
  var swipe: Swipe?
  let effect: Effect

  // MARK: - The table

  static var all: [HistoryAction] { ofTexts + ofList + ofWindow }

  /// The actions on texts, in the order in which a row's menu and the shortcuts window show them.
  static var ofTexts: [HistoryAction] {
    [
      HistoryAction(
        name: "copy", title: tr("Copy"), entry: tr("_Copy"),
        keys: ["Return", "space", "<Control>c", "<Control>Insert"], menuKeys: "<Control>c",
        otherKeys: ["KP_Enter", "ISO_Enter", "KP_Space", "<Control>KP_Insert"],
        swipe: Swipe(edge: .leading, icon: "edit-copy-symbolic"),
        effect: .row { list, id in list.session.copy(id) }),
      HistoryAction(
        name: "copy-and-delete", title: tr("Copy and delete"), keys: ["<Control>x", "<Shift>Delete"],
        otherKeys: ["<Shift>KP_Delete"],
        effect: .row { list, id in list.session.copyAndDelete(id) }),
      HistoryAction(
        name: "delete", title: tr("Delete"), entry: tr("_Delete"), keys: ["Delete"], menuKeys: "Delete",
        isDestructive: true, otherKeys: ["KP_Delete"],
        swipe: Swipe(edge: .trailing, icon: "user-trash-symbolic"),
        effect: .row { list, id in list.session.delete(id) }),
      HistoryAction(
        name: "show", title: tr("View the full text"), entry: tr("_View Full Text"), keys: ["<Alt>Return"],
        menuKeys: "<Alt>Return", otherKeys: ["<Alt>KP_Enter", "<Alt>ISO_Enter"],
        effect: .row { list, id in list.session.show(id) }),
      HistoryAction(
        name: "undo", title: tr("Undo the last deletion"), keys: ["<Control>z"],
        effect: .window { $0.session.undo() }),
      HistoryAction(
        name: "paste", title: tr("Add from clipboard"), keys: ["<Control>v", "<Shift>Insert"],
        otherKeys: ["<Shift>KP_Insert"], effect: .window { $0.session.paste() }),
      HistoryAction(
        name: "menu", title: tr("Open the menu of an item"), keys: ["Menu", "<Shift>F10"],
        effect: .row { list, id in list.openMenu(of: id) }),
      HistoryAction(
        name: "copy-newest", title: tr("Copy one of the nine newest items"),
        keys: ["", "<Control>"].flatMap { keys in (1...9).map { "\(keys)\($0)" } }, effect: .builtIn),
    ]
  }

  /// The keys of GTK's list view.
  static var ofList: [HistoryAction] {
    [
      HistoryAction(name: "step", title: tr("Newer or older item"), keys: ["Up", "Down"], effect: .builtIn),
      HistoryAction(
        name: "page", title: tr("A page up or down"), keys: ["Page_Up", "Page_Down"], effect: .builtIn),
      HistoryAction(
        name: "ends", title: tr("Newest or oldest item"), keys: ["Home", "End"], effect: .builtIn),
    ]
  }

  /// The actions on the window and the program.
  static var ofWindow: [HistoryAction] {
    [
      HistoryAction(
        name: "pause", title: tr("Pause or resume recording"), keys: ["<Control>p"],
        effect: .named("win.pause")),
      HistoryAction(name: "main-menu", title: tr("Main menu"), keys: ["F10"], effect: .builtIn),
      HistoryAction(
        name: "preferences", title: tr("Preferences"), keys: ["<Control>comma"],
        effect: .named("app.preferences")),
      HistoryAction(
        name: "shortcuts", title: tr("Keyboard shortcuts"), keys: ["<Control>question"],
        effect: .named("app.shortcuts")),
      close,
      HistoryAction(name: "quit", title: tr("Quit"), keys: ["<Control>q"], effect: .named("app.quit")),
    ]
  }

  /// The keys of the action with this full name.
  static func keys(of fullName: String) -> [String] {
    ofWindow.first { $0.fullName == fullName }?.triggers ?? []
  }

  /// The actions in the menu of a row, with the destructive one at the end.
  ///
  /// All are in one section, because GTK 4.8 measures a menu before it adds the separators, and so cuts off the end of
  /// the menu. The style sheet adds a gap above the last action instead.
  static var inMenu: [HistoryAction] {
    let actions = ofTexts.filter { $0.entry != nil }
    return actions.filter { !$0.isDestructive } + actions.filter(\.isDestructive)
  }

  static var close: HistoryAction {
    HistoryAction(
      name: "close", title: tr("Hide the window"), keys: ["Escape", "<Control>w"],
      effect: .window { if !$0.session.cancelPaste() { $0.closed() } })
  }

  // MARK: -

  /// All keys, documented or not.
  var triggers: [String] { keys + otherKeys }

  var fullName: String {
    switch effect {
    case .row: "row." + name
    case .window: "win." + name
    case .named(let fullName): fullName
    case .builtIn: ""
    }
  }

  /// The style class of a row during the action's swipe.
  var swipeStyle: String { "swiped-to-" + name }
}
