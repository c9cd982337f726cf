import ClipHistory
import ClipboardCore
import GtkKit

/// The view of the list of clips, and the user's input on its rows.
@MainActor
final class HistoryList {
  /// How long a copied row flashes.
  static let flashTime = Duration.milliseconds(550)

  /// How long a new row is tinted.
  private static let arrivalTime = Duration.milliseconds(900)

  let root: Overlay
  private let scroll: ScrolledWindow
  let session: HistorySession
  let view: ListView<ClipRow>
  private let model: HistoryListModel
  private let menu: RowMenu
  private let rows: RowContext
  /// Keeps the last row above the messages.
  private lazy var lowerPadding = WidgetStyle(of: view)
  /// The help below the rows, until the history has had six items.
  private var beginnerHelp: BeginnerHelp?
  private lazy var newItems = NewItemsButton(clicked: weakly(self) { $0.goToNewest() })
  /// Whether the focus moves to each new row; true from `focusNewest` until the user's next input.
  private var followsNewest = false
  private var flashes: [Clip.ID: Timeout] = [:]
  private var tokens: [ListenerToken] = []
  private var arrivals: Timeout?
  /// The pause before the number of new items is announced.
  private var announcement: Timeout?
  private lazy var ages = Age.Clock(now: rows.now) { [weak self] in
    self?.view.rowViews.compactMap(\.clip?.capturedAt) ?? []
  } refresh: { [weak self] in
    let hasOtherZone = LocalTime.updateZone()
    // Refresh invisible rows as well, because they may be scrolled into view before the next refresh.
    self?.view.rowViews.forEach { $0.refreshAge(always: hasOtherZone) }
  }

  /// The number of clips that fill a window of `height` pixels.
  static func rowCount(inHeight height: Int) -> Int { height / ClipRow.leastHeight + 1 }

  init(
    _ session: HistorySession, now: @escaping @Sendable () -> Int64,
    lineLimit: Int = PreviewText.lineLimit
  ) {
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
    let beginnerHelp = BeginnerHelp(countEver: model.countEver)
    let content: Widget = if let beginnerHelp { FootedBox(scroll, foot: beginnerHelp.root) } else { scroll }
    self.beginnerHelp = beginnerHelp
    root = Overlay(content, under: [])
    root.expand(horizontally: true, vertically: true)
    menu = RowMenu(on: view)
    // Update the ages only while the list is on the screen.
    root.onShow(weakly(self) { $0.ages.isRunning = true })
    root.onHide(
      weakly(self) {
        $0.ages.isRunning = false
        $0.scroll.removeStyle("by-pointer")
      })
    view.onAnyInput(weakly(self) { $0.used(by: $1) })
    view.onPointerMotion(weakly(self) { $0.scroll.addStyle("by-pointer") })
    tokens = [
      model.changes.add(weakly(self) { $0.changed($1) }),
      session.events.add(weakly(self) { $0.happened($1) }),
    ]
    connectRows()
  }

  // MARK: - First steps

  /// Shows a line about the shortcut below the first steps, while these are shown.
  func showNote(_ words: String) { beginnerHelp?.note = words }

  /// Whether recording is paused; the first steps then explain how to resume it.
  var isPaused = false {
    didSet { beginnerHelp?.isPaused = isPaused }
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
    case .stateChanged, .countChanged, .deletionsChanged, .questionChanged, .offered, .failed, .text,
      .recovered, .reopened:
      break
    }
  }

  /// Moves the focus to the newest row, and then to each new row until the user uses the list.
  func focusNewest() {
    followsNewest = true
    showsFocus = true
    newItems.hide()
    guard model.count > 0 else { return }
    view.focus(0)
  }

  /// Scrolls to a clip's row and moves the focus to it.
  func focus(_ id: Int64) {
    showsFocus = true
    if let position = model.position(of: id) { view.focus(position) }
  }

  /// Moves the focus back to the row that had it last.
  func focusAgain() { view.grabFocus() }

  var lineLimit: Int {
    get { rows.lineLimit }
    set {
      guard newValue != rows.lineLimit else { return }
      view.keepPlace()
      rows.lineLimit = newValue
      view.rowViews.forEach { $0.refresh() }
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
      view.keepPlace()
      lowerPadding.declarations = coveredHeight > 0 ? "padding-bottom: \(coveredHeight + 6)px;" : ""
      // Hide the first steps, which the messages would cover.
      beginnerHelp?.isCovered = coveredHeight > 0
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
    view.rowViews.forEach { $0.refreshPlace() }
    if model.count == 0 { newItems.hide() }
    if beginnerHelp?.show(countEver: model.countEver) == false { beginnerHelp = nil }
    guard change.added > 0 else { return }
    let isAtTop = scroll.offset == 0
    if change.isNew { welcome(change.added, isAtTop: isAtTop) }
    if change.position == 0 && isAtTop {
      if followsNewest { view.focus(0) } else { view.scroll(to: 0) }
    }
    ages.rowsChanged()
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
    if newItems.add(count) {
      root.add(newItems.root)
      scroll.onScroll(weakly(self) { if $0.scroll.offset <= 0 { $0.newItems.hide() } })
    }
    announcement = Timeout(after: MessageBar.pause) { [weak self] in
      guard let self, session.attention == .active, let words = newItems.words else { return }
      view.announce(words)
    }
  }

  private func goToNewest() {
    newItems.hide()
    view.focus(0)
  }

  /// Whether the focused row has CopyPasta's own focus ring; GTK hides its ring 3 s after the last key press.
  private var showsFocus = false {
    didSet {
      guard showsFocus != oldValue else { return }
      if showsFocus { view.addStyle("by-keyboard") } else { view.removeStyle("by-keyboard") }
    }
  }
}

/// The help below the rows: at first, what to do and the shortcut; from the third item on, how to copy an item.
@MainActor
private final class BeginnerHelp {
  let root: AnnotatedText
  private let label = Label()
  private var countEver: Int64

  /// Returns nil if the user needs no help, because the history has had enough items.
  ///
  /// - Parameter countEver: See `HistoryListModel.countEver`.
  init?(countEver: Int64) {
    guard countEver < 6 else { return nil }
    self.countEver = countEver
    label.wrap()
    root = AnnotatedText(label, width: ClipRow.greatestWidth)
    root.addStyle("first-steps")
    root.align(horizontally: .center)
    draw()
  }

  /// The line about the shortcut.
  var note = "" {
    didSet { if note != oldValue { draw() } }
  }

  var isPaused = false {
    didSet { if isPaused != oldValue { draw() } }
  }

  /// Shows the help for a history with this number of items.
  ///
  /// - Returns: Whether there is still something to show.
  func show(countEver: Int64) -> Bool {
    guard countEver != self.countEver else { return true }
    self.countEver = countEver
    draw()
    return countEver < 6
  }

  /// Whether messages cover the lower edge of the list.
  var isCovered = false {
    didSet { draw() }
  }

  private func draw() {
    root.isVisible = countEver < 6 && !isCovered
    label.text =
      countEver < 3
      ? [StatusPage.firstSteps(isPaused: isPaused), note].filter { !$0.isEmpty }.joined(separator: "\n")
      : tr("Click an item to copy it, or press Ctrl and its number.")
  }
}

/// The button over the upper edge of a scrolled list; it shows the number of new items and leads to them.
@MainActor
private final class NewItemsButton {
  private(set) lazy var root = Revealer(child: button)
  private let label = Label()
  private lazy var button = Button(child: label)
  private let clicked: @MainActor () -> Void
  private var count = 0
  private var isMade = false

  /// What the button says; nil while it is hidden.
  var words: String? { count > 0 ? label.text : nil }

  init(clicked: @escaping @MainActor () -> Void) { self.clicked = clicked }

  /// Adds `more` new items to the number and shows the button.
  ///
  /// - Returns: Whether this call created the button, so that `root` has to be added to the list.
  func add(_ more: Int) -> Bool {
    let isFirst = !isMade
    if isFirst {
      isMade = true
      button.addStyle("new-items")
      button.onClick(clicked)
      root.comeFromAbove()
      root.align(horizontally: .center, vertically: .start)
    }
    count += more
    label.text = trn("%s New", "%s New", count).filled(with: Format.number(count))
    button.setAccessibleName(label.text)
    root.isRevealed = true
    return isFirst
  }

  func hide() {
    guard isMade, count > 0 else { return }
    count = 0
    root.isRevealed = false
  }
}
