import ClipHistory
import GtkKit

/// The view of the list of clips, and the user's input on its rows.
@MainActor
final class HistoryList {
  /// How long a copied row flashes.
  static let flashTime = Duration.milliseconds(550)

  /// How long a new row is tinted.
  private static let arrivalTime = Duration.milliseconds(900)

  let root: Overlay
  let scroll: ScrolledWindow
  let session: HistorySession
  let view: ListView<ClipRow>
  private let model: HistoryListModel
  private let menu: RowMenu
  private let rows: RowContext
  /// Keeps the last row above the messages.
  private lazy var lowerPadding = WidgetStyle(of: view)
  /// The first steps below the rows.
  private let help = Label()
  /// The button over the upper edge of a scrolled list; it shows the number of new items and leads to them.
  private let newItems: Button
  private let newItemWords = Label()
  private var newItemCount = 0
  /// Whether the focus moves to each new row; true from `focusNewest` until the user's next input
  /// or `focus(_:)`.
  private var followsNewest = false
  private var flashes: [Clip.ID: Timeout] = [:]
  private var tokens: [ListenerToken] = []
  private var arrivals: Timeout?
  /// The pause before the number of new items is announced.
  private var announcement: Timeout?
  /// The time until the ages are next refreshed; nil while the list is not on the screen.
  private var ageTimer: Timeout?
  private let ageInterval: Duration

  /// The number of clips that fill a window of `height` pixels.
  static func rowCount(inHeight height: Int) -> Int { height / ClipRow.leastHeight + 1 }

  /// - Parameter ageInterval: How often the ages are refreshed, which bounds their error also after a suspend or a
  ///   change of the clock.
  init(
    _ session: HistorySession, now: @escaping @Sendable () -> Int64,
    lineLimit: Int = PreviewText.lineLimit, ageInterval: Duration = .seconds(15)
  ) {
    self.ageInterval = ageInterval
    let model = session.model
    self.model = model
    self.session = session
    let rows = RowContext(now: now) { model.count }
    rows.lineLimit = lineLimit
    rows.onClipboard = session.clipboardState.clip
    self.rows = rows
    view = ListView(model: model.listModel) { ClipRow(of: $0, in: rows) }
    view.addStyle("history")
    view.setAccessibleName(tr("Clipboard history"))
    view.leaveByTab()
    scroll = ScrolledWindow(child: view)
    newItems = Button(child: newItemWords)
    help.wrap()
    help.addStyle("first-steps")
    newItems.addStyle("new-items")
    newItems.align(horizontally: .center, vertically: .start)
    newItems.isVisible = false
    let content = FootedBox(scroll, foot: help, width: ClipRow.greatestWidth + 60)
    content.append(rows.ageSamples)
    root = Overlay(content, under: [newItems])
    root.expand(horizontally: true, vertically: true)
    menu = RowMenu(on: view)
    root.onShow(weakly(self) { $0.refreshAges(isShown: true) })
    root.onHide(
      weakly(self) {
        $0.ageTimer = nil
        $0.scroll.removeStyle("by-pointer")
      })
    view.onAnyInput(weakly(self) { $0.used(by: $1) })
    view.onPointerMotion(weakly(self) { $0.scroll.addStyle("by-pointer") })
    tokens = [
      model.changes.add(weakly(self) { $0.changed($1) }),
      session.events.add(weakly(self) { $0.happened($1) }),
    ]
    newItems.onClick(
      weakly(self) {
        $0.hideNewItems()
        $0.view.focus(0)
      })
    scroll.onScroll(weakly(self) { if $0.scroll.offset <= 0 { $0.hideNewItems() } })
    connectRows()
    showHelp()
  }

  /// Refreshes the ages now and, while the list is on the screen, regularly.
  ///
  /// - Parameter isShown: Whether the list was just shown. Its first frame then waits only for the visible rows; the
  ///   others, which may be scrolled into view, follow soon.
  private func refreshAges(isShown: Bool = false) {
    LocalTime.updateZone()
    for row in view.rowViews where !isShown || row.root.isMapped { row.refreshAge() }
    ageTimer = Timeout(
      after: isShown ? .milliseconds(300) : ageInterval, weakly(self) { $0.refreshAges() })
  }

  // MARK: - First steps

  /// A line about the shortcut below the first steps.
  var note = "" {
    didSet { if note != oldValue { showHelp() } }
  }

  /// Whether recording is paused; the first steps then explain how to resume it.
  var isPaused = false {
    didSet { if isPaused != oldValue { showHelp() } }
  }

  /// Shows the first steps until the third item.
  private func showHelp() {
    help.isVisible = model.countEver < 3 && coveredHeight == 0
    help.text =
      [StatusPage.firstSteps(isPaused: isPaused), note].filter { !$0.isEmpty }.joined(separator: "\n")
  }

  // MARK: - Events of the session

  private func happened(_ event: HistorySession.Event) {
    switch event {
    case .done(let event, let id, let isAnnounced):
      switch event {
      case .copied: flash(id)
      case .restored: focus(id)
      case .deleted, .copiedAndDeleted: break
      }
      if isAnnounced { view.announce(event.message) }
    case .added: focusNewest()
    case .clipboardChanged: markOnClipboard(session.clipboardState.clip)
    case .stateChanged, .contentChanged, .failed, .text: break
    }
  }

  /// Moves the focus to the newest row, and then to each new row until the user uses the list.
  func focusNewest() {
    followsNewest = true
    showsFocus = true
    hideNewItems()
    guard model.count > 0 else { return }
    view.focus(0)
  }

  /// Scrolls to a clip's row and moves the focus to it.
  func focus(_ id: Int64) {
    followsNewest = false
    showsFocus = true
    if let position = model.position(of: id) { view.focus(position) }
  }

  /// Moves the focus back to the row that had it last.
  func focusAgain() { view.grabFocus() }

  var lineLimit: Int {
    get { rows.lineLimit }
    set {
      guard newValue != rows.lineLimit else { return }
      view.keepScrollPosition()
      rows.lineLimit = newValue
      view.rowViews.forEach { $0.refreshLines() }
    }
  }

  private func markOnClipboard(_ id: Clip.ID?) {
    let before = rows.onClipboard
    rows.onClipboard = id
    for row in view.rowViews where row.clip.map({ $0.id == id || $0.id == before }) == true {
      row.refreshSign()
    }
  }

  func flash(_ id: Int64) {
    view.row(of: id)?.showCopied(true)
    flashes[id] = Timeout(after: Self.flashTime) { [weak self] in
      self?.flashes[id] = nil
      self?.view.row(of: id)?.showCopied(false)
    }
  }

  /// The height that messages cover at the list's lower edge, in pixels; no row that has the focus stays under them.
  var coveredHeight = 0 {
    didSet {
      guard coveredHeight != oldValue else { return }
      view.keepScrollPosition()
      lowerPadding.declarations = coveredHeight > 0 ? "padding-bottom: \(coveredHeight + 6)px;" : ""
      // Hide the first steps, which the messages would cover.
      showHelp()
    }
  }

  /// Opens the menu of a clip's row, if the row is on the screen.
  func openMenu(of id: Clip.ID) { menu.open(of: id) }

  // MARK: - Input

  private func connectRows() {
    view.onRowClick(.primary) { [session] id, _ in session.copy(id) }
    // Copy at the second of two quick clicks, too, because GTK calls `onRowClick` only for the first.
    view.onActivate { [session] position in session.copy(session.model.id(at: position)) }
    view.onRowSwipe { [weak self] id in
      self.map { list in RowSwipe(over: id, in: list.view, run: weakly(list) { $0.swiped($1, $2) }) }
    }
    let actions = ActionGroup()
    for action in HistoryAction.all {
      guard case .row(let run) = action.effect else { continue }
      actions.add(action.name, weakly(self, run))
      // Handle keys before the row does, because the row would use Space to select itself.
      view.onKeys(action.triggers, beforeChildren: true) { [weak view] in
        guard let view, let id = view.focusedRow?.id else { return false }
        return view.run(action.fullName, on: id)
      }
    }
    view.insert(actions, as: "row")
  }

  private func used(by kind: InputKind) {
    followsNewest = false
    showsFocus = kind == .key
  }

  private func swiped(_ action: HistoryAction, _ id: Clip.ID) {
    // Swiping on a touchpad does not count as a press.
    if action.name != "copy" || session.mayCopy() { view.run(action.fullName, on: id) }
  }

  // MARK: -

  /// Updates the rows after clips were added or removed.
  ///
  /// Visible rows keep their place; new clips scroll into view only if the list is at its top.
  private func changed(_ change: HistoryListModel.Change) {
    if model.count == 0 { hideNewItems() }
    showHelp()
    guard change.added > 0 else { return }
    let isAtTop = scroll.offset == 0
    if change.isNew { welcome(change.added, isAtTop: isAtTop) }
    if change.position == 0 && isAtTop {
      if followsNewest { view.focus(0) } else { view.scroll(to: 0) }
    }
  }

  /// Tints the rows of new clips, and shows the button that leads to them if they are out of sight.
  private func welcome(_ count: Int, isAtTop: Bool) {
    guard root.isMapped else { return }
    let arrived = (0..<min(count, 9)).map(model.id(at:))
    rows.arrived.formUnion(arrived)
    for row in view.rowViews where row.clip.map({ arrived.contains($0.id) }) == true {
      row.showArrival(true)
    }
    arrivals = Timeout(after: Self.arrivalTime) { [weak self] in
      self?.rows.arrived = []
      self?.view.rowViews.forEach { $0.showArrival(false) }
    }
    guard !isAtTop else { return }
    newItemCount += count
    newItemWords.text = trn("%s New", "%s New", newItemCount).filled(with: Format.number(newItemCount))
    newItems.setAccessibleName(newItemWords.text)
    newItems.isVisible = true
    announcement = Timeout(after: MessageBar.pause) { [weak self] in
      guard let self, session.attention == .active, newItemCount > 0 else { return }
      view.announce(newItemWords.text)
    }
  }

  private func hideNewItems() {
    guard newItemCount > 0 else { return }
    newItemCount = 0
    if newItems.hasFocusWithin { view.focus(0) }
    newItems.isVisible = false
  }

  /// Whether the focused row is filled; GTK hides its focus ring 3 s after the last key press.
  private var showsFocus = false {
    didSet {
      guard showsFocus != oldValue else { return }
      if showsFocus { view.addStyle("by-keyboard") } else { view.removeStyle("by-keyboard") }
    }
  }
}
