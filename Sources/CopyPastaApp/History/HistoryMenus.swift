import ClipHistory
import GtkKit

/// The context menu of a row.
@MainActor
final class RowMenu {
  private let view: ListView<ClipRow>
  private let popover: PopoverMenu
  /// The row that the menu is for, which is marked as long as it is open.
  private var row: ClipRow?

  /// - Parameter view: has the actions that the menu offers.
  init(on view: ListView<ClipRow>) {
    self.view = view
    // The menu belongs to the list view itself: with a parent further out, arrow keys leave it for the rows.
    popover = PopoverMenu(on: view)
    popover.onClose { [weak self, weak view] in
      self?.row?.mark(ClipRow.menuStyle, false)
      self?.row = nil
      view?.hasTooltip = true
      // GTK leaves the focus in the closed menu until the next frame: a key that comes before that would be lost.
      view?.grabFocus()
    }
    view.onRowClick(.secondary, weakly(self) { $0.open(on: $1, at: $2) })
    view.onLongPress { [weak self] point in
      guard let self, let row = self.view.row(at: point) else { return false }
      open(on: row, at: point)
      return true
    }
  }

  /// Opens the menu over a row.
  func open(on row: ClipRow) {
    guard let bounds = row.root.bounds(in: view) else { return }
    let x = view.isRightToLeft ? bounds.x + bounds.width - 24 : bounds.x + 24
    open(on: row, at: Point(x: x, y: bounds.y + bounds.height / 2))
  }

  private func open(on row: ClipRow, at point: Point) {
    guard let clip = row.clip else { return }
    self.row = row
    row.mark(ClipRow.menuStyle, true)
    // The focus goes back to the row when the menu closes.
    if let position = row.item.position { view.focus(position) }
    // A tooltip would lie over the menu.
    view.hasTooltip = false
    let entries = HistoryAction.inMenu.compactMap { action in
      action.entry.map { (label: $0, action: action.fullName, keys: action.menuKeys) }
    }
    popover.popUp(Menu(sections: [entries], target: clip.id), at: point)
  }
}

extension MenuButton {
  /// The window's main menu.
  static var main: MenuButton {
    MenuButton(mainMenu: tr("Main Menu")) {
      // An open menu has the focus on its first entry, which therefore destroys nothing.
      Menu(sections: [
        [(tr("Pause _Recording"), "win.pause", nil), (tr("Clear _History…"), "win.clear-history", nil)],
        [
          (tr("_Preferences"), "app.preferences", nil), (tr("_Keyboard Shortcuts"), "app.shortcuts", nil),
          (tr("_About CopyPasta"), "app.about", nil),
        ],
        [(tr("_Quit"), "app.quit", nil)],
      ])
    }
  }
}
