import ClipHistory
import GtkKit

@MainActor
final class RowMenu {
  private let view: ListView<ClipRow>
  /// The menu, created when it is first opened, so that the first frame does not wait for it.
  private lazy var popover = makePopover()
  /// The row whose menu is open; while the menu is open, the row has a style class.
  private var row: ClipRow?

  /// - Parameter view: The list view, which has the menu's actions.
  init(on view: ListView<ClipRow>) {
    self.view = view
    view.onRowClick(.secondary, weakly(self) { $0.open(on: $1, at: $2) })
    view.onLongPress { [weak self] point in
      guard let self, let row = self.view.row(at: point) else { return false }
      open(on: row, at: point)
      return true
    }
  }

  private func makePopover() -> PopoverMenu {
    // Make the list view itself the parent: with an outer parent, arrow keys would leave the menu for the rows.
    let popover = PopoverMenu(on: view)
    popover.onClose { [weak self, weak view] in
      self?.row?.mark(ClipRow.menuStyle, false)
      self?.row = nil
      view?.hasTooltip = true
      // Move the focus now, because GTK leaves it in the closed menu until the next frame, and keys would be lost.
      view?.grabFocus()
    }
    return popover
  }

  func open(on row: ClipRow) {
    guard let bounds = row.root.bounds(in: view) else { return }
    let x = view.isRightToLeft ? bounds.x + bounds.width - 24 : bounds.x + 24
    open(on: row, at: Point(x: x, y: bounds.y + bounds.height / 2))
  }

  private func open(on row: ClipRow, at point: Point) {
    guard let clip = row.clip else { return }
    self.row = row
    row.mark(ClipRow.menuStyle, true)
    // Focus the row, so that it has the focus again when the menu closes.
    if let position = row.item.position { view.focus(position) }
    // Disable the tooltip, which would cover the menu.
    view.hasTooltip = false
    let entries = HistoryAction.inMenu.compactMap { action in
      action.entry.map { (label: $0, action: action.fullName, keys: action.menuKeys) }
    }
    popover.popUp(Menu(sections: [entries], target: clip.id), at: point)
  }
}

extension MenuButton {
  static var main: MenuButton {
    MenuButton(mainMenu: tr("Main Menu")) {
      // The first entry must not be destructive, because it has the focus when the menu opens.
      let entries = [
        [(tr("Pause _Recording"), "win.pause"), (tr("Clear _History…"), "win.clear-history")],
        [
          (tr("_Preferences"), "app.preferences"), (tr("_Keyboard Shortcuts"), "app.shortcuts"),
          (tr("_About CopyPasta"), "app.about"),
        ],
        [(tr("_Quit"), "app.quit")],
      ]
      return Menu(
        sections: entries.map { section in
          section.map { (label: $0.0, action: $0.1, keys: HistoryAction.keys(of: $0.1).first) }
        })
    }
  }
}
