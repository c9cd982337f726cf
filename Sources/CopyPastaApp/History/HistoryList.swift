import ClipHistory
import ClipboardCore
import GtkKit

/// The list of clips on the screen, and what the user does with its rows.
@MainActor
final class HistoryList: HistoryView {
  /// How long a copied row stays marked.
  static let flashTime = Duration.milliseconds(550)

  let root: ScrolledWindow
  let controller: HistoryController
  private let view: ListView<ClipRow>
  private let model: HistoryListModel
  private let menu: RowMenu
  private let swipe: RowSwipe
  private let now: @Sendable () -> Int64
  /// Whether the focus goes on to each new row, because the user has not used the list since it was shown.
  private var followsNewest = false
  private var flashes: [Clip.ID: Timeout] = [:]
  private lazy var ages = Age.Clock(now: now) { [weak self] in
    self?.view.boundRows.compactMap(\.clip?.capturedAt) ?? []
  } refresh: { [weak self] in
    LocalTime.updateZone()
    // Rows out of sight, too: they may be scrolled back into view before the next time.
    self?.view.boundRows.forEach { $0.refreshAge() }
  }

  /// How many clips fill a window of a height, in pixels.
  static func rowCount(inHeight height: Int) -> Int { height / ClipRow.leastHeight + 1 }

  init(_ controller: HistoryController, now: @escaping @Sendable () -> Int64) {
    let model = controller.model
    self.model = model
    self.controller = controller
    self.now = now
    view = ListView(model: model.listModel) { [unowned model] in
      ClipRow(of: $0, now: now) { model.count }
    }
    view.addStyle("history")
    view.setAccessibleName(tr("Clipboard history"))
    view.leaveByTab()
    view.onTooltip { $0.moreText }
    root = ScrolledWindow(child: view)
    root.expand(horizontally: true, vertically: true)
    menu = RowMenu(on: view)
    swipe = RowSwipe(on: view)
    // Ages are kept right on the screen only.
    root.onShow(weakly(self) { $0.ages.isRunning = true })
    root.onHide(weakly(self) { $0.ages.isRunning = false })
    view.onAnyInput(weakly(self) { $0.used(by: $1) })
    // After the view, which has connected to the model before.
    model.listModel.onItemsChanged(weakly(self) { $0.changed(at: $1, removed: $2, added: $3) })
    connectRows()
    controller.view = self
  }

  func focusNewest() {
    followsNewest = true
    showsFocus = true
    guard model.count > 0 else { return }
    view.focus(0)
  }

  /// Moves the focus to a clip's row, after bringing it into view.
  func focus(_ id: Int64) {
    if let position = model.position(of: id) { view.focus(position) }
  }

  /// Moves the focus back to the row that had it last.
  func focusAgain() { view.grabFocus() }

  func flash(_ id: Int64) {
    row(of: id)?.showCopied(true)
    flashes[id] = Timeout(after: Self.flashTime) { [weak self] in
      self?.flashes[id] = nil
      self?.row(of: id)?.showCopied(false)
    }
  }

  /// Whether the bar that offers to undo lies over the lower edge: the row in focus is kept above it.
  var isUnderUndoBar = false {
    didSet {
      guard isUnderUndoBar != oldValue else { return }
      guard isUnderUndoBar else { return view.removeStyle("under-undo-bar") }
      view.addStyle("under-undo-bar")
      // The room that the style gives has to be laid out before the row can scroll into it.
      view.onNextFrame { [weak self] in
        if let clip = self?.view.focusedRow?.clip { self?.focus(clip.id) }
      }
    }
  }

  func announce(_ event: HistoryEvent) { view.announce(event.message) }

  /// Opens the menu of a row that is seen.
  func openMenu(of id: Clip.ID) {
    if let row = row(of: id) { menu.open(on: row) }
  }

  // MARK: - What the user does

  private func connectRows() {
    view.onRowClick(.primary) { [controller] row, _ in
      if let clip = row.clip { controller.copy(clip.id) }
    }
    // The second of two quick clicks, which GTK keeps from `onRowClick`.
    view.onActivate { [controller, unowned model] position in controller.copy(model.id(at: position)) }
    view.onRowDrag { [controller] row in
      row.clip.map { clip in
        DeferredContent(types: TextFormat.mimeTypes) { Bytes(try await controller.text(of: clip.id).bytes) }
      }
    } icon: { row in
      row.dragIcon
    }
    let actions = ActionGroup()
    for action in HistoryAction.all {
      guard case .row(let run) = action.effect else { continue }
      actions.add(action.name, weakly(self, run))
      // Before the row, which would take Space for a selection.
      view.onKeys(action.triggers, beforeChildren: true) { [weak view] in
        guard let view, let clip = view.focusedRow?.clip else { return false }
        return view.run(action.fullName, on: clip.id)
      }
    }
    view.insert(actions, as: "row")
  }

  private func used(by kind: InputKind) {
    followsNewest = false
    showsFocus = kind == .key
  }

  // MARK: -

  /// Follows clips that came or went.
  ///
  /// Rows that the user looks at stay in their place; only at the very top new clips are seen to come in.
  private func changed(at position: Int, removed: Int, added: Int) {
    // Only the rows near what is seen have a view, whose name says its place.
    view.boundRows.forEach { $0.refreshName() }
    guard added > 0 else { return }
    if position == 0 && root.offset == 0 {
      if followsNewest { view.focus(0) } else { view.scroll(to: 0) }
    }
    ages.rowsChanged()
  }

  /// Whether the row in focus is marked.
  ///
  /// GTK's own ring goes 3 s after the last key, and a list has no other mark for the row in focus.
  private var showsFocus = false {
    didSet {
      guard showsFocus != oldValue else { return }
      if showsFocus { view.addStyle("by-keyboard") } else { view.removeStyle("by-keyboard") }
    }
  }

  private func row(of id: Int64) -> ClipRow? { view.boundRows.first { $0.clip?.id == id } }
}
