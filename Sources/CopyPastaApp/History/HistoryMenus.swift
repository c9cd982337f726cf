import ClipHistory
import GtkKit

@MainActor
final class RowMenu {
  private let view: ListView<ClipRow>
  /// The menu, created when it is first opened, so that the first frame does not wait for it.
  private lazy var popover = makePopover()
  /// The clip whose menu is open; while the menu is open, its row has a style class.
  private var id: Clip.ID?

  /// - Parameter view: The list view, which has the menu's actions.
  init(on view: ListView<ClipRow>) {
    self.view = view
    view.onRowClick(.secondary, weakly(self) { $0.open(of: $1, at: $2) })
    view.onRowLongPress(weakly(self) { $0.open(of: $1, at: $2) })
  }

  private func makePopover() -> PopoverMenu {
    // Make the list view itself the parent: with an outer parent, arrow keys would leave the menu for the rows.
    let popover = PopoverMenu(on: view)
    popover.onClose { [weak self, weak view] in
      if let id = self?.id { view?.row(of: id)?.mark(ClipRow.menuStyle, false) }
      self?.id = nil
      // Move the focus now, because GTK leaves it in the closed menu until the next frame, and keys would be lost.
      view?.grabFocus()
    }
    return popover
  }

  /// Opens the menu of a clip if its row is on the screen, at `point` or at the row's beginning.
  func open(of id: Clip.ID, at point: Point? = nil) {
    guard let row = view.row(of: id), let position = row.item.position,
      let bounds = row.root.bounds(in: view)
    else { return }
    self.id = id
    row.mark(ClipRow.menuStyle, true)
    // Focus the row, so that it has the focus again when the menu closes.
    view.focus(position)
    let entries = HistoryAction.inMenu.compactMap { action in
      action.entry.map { (label: $0, action: action.fullName, keys: action.menuKeys) }
    }
    let x = view.isRightToLeft ? bounds.x + bounds.width - 24 : bounds.x + 24
    popover.popUp(
      Menu(sections: [entries], target: id), at: point ?? Point(x: x, y: bounds.y + bounds.height / 2))
  }
}

extension MenuButton {
  static var main: MenuButton {
    MenuButton(mainMenu: tr("Main Menu")) {
      // The first entry must not be destructive, because it has the focus when the menu opens.
      let entries = [
        [(tr("_Preferences"), "app.preferences"), (tr("_Keyboard Shortcuts"), "app.shortcuts")],
        [(tr("Clear _History…"), "win.clear-history")],
        [(tr("_About CopyPasta"), "app.about"), (tr("_Quit"), "app.quit")],
      ]
      return Menu(
        sections: entries.map { section in
          section.map { (label: $0.0, action: $0.1, keys: HistoryAction.keys(of: $0.1).first) }
        })
    }
  }
}
