import ClipHistory
import ClipboardCore
import GtkKit

/// What fills the window where there is a history: the list or the empty state, and all that acts on them.
@MainActor
final class HistoryContent {
  let root: Widget
  private let clipboard: any SystemClipboard
  private let store: HistoryStore
  private let reader: HistoryReader
  private let model: HistoryListModel
  private let list: HistoryList
  private let pages = Stack()
  private let emptyPage = StatusPage.empty
  private let actions: RowActions
  private let menu: RowMenu
  private let swipe: RowSwipe
  private let undoBar: UndoBar
  private let capture: Capture
  private let pasting: Pasting
  private let newClips: BurstCoalescer<Clip>
  private var sizeLimit: Observation?
  private var shortcutState: Observation?
  private let report: @MainActor (String) -> Void

  /// - Parameter height: the window's, in pixels, which the first page of clips is to fill.
  /// - Throws: where the history cannot be opened, or its first page not be read.
  init(
    _ environment: Environment, height: Int, report: @escaping @MainActor (String) -> Void
  ) throws(StoreError) {
    let history = try environment.history.get()
    self.report = report
    clipboard = environment.clipboard
    store = history.store
    reader = history.reader
    model = try HistoryListModel(
      reader: history.reader, firstPageSize: height / ClipRow.leastHeight + 1)
    let list = HistoryList(model: model, now: environment.now)
    self.list = list
    newClips = BurstCoalescer { [weak list] in list?.insertNewest($0) }
    let outcomes = Relay<[CaptureOutcome]>()
    let pastes = Relay<CaptureOutcome>()
    capture = Capture(environment.clipboard.source, into: store, now: environment.now) { outcomes.send($0) }
    pasting = Pasting(environment.clipboard, into: capture) { pastes.send($0) }
    let actions = RowActions(
      store: store, clipboard: environment.clipboard, capture: capture, list: list, report: report)
    self.actions = actions
    menu = RowMenu(on: list.view, actions: actions)
    swipe = RowSwipe(on: list.view, actions: actions)
    let deletions = actions.deletions
    undoBar = UndoBar { [weak actions] in
      actions?.undo()
    } close: { [weak deletions] in
      deletions?.forget()
    } noticed: { [weak deletions] in
      deletions?.prolong()
    }
    root = Overlay(pages, under: [undoBar.root])
    outcomes.receive = { [weak self] in $0.forEach { self?.captured($0) } }
    pastes.receive = { [weak self] in self?.pasted($0) }
    deletions.onChange = { [weak self] in self?.deletionsChanged($0) }
    model.onFailure = { [weak self] in self?.failed($0, saying: $0.message) }
    model.onCountChange = { [weak self] in self?.showPage() }
    emptyPage.onCopy = { [weak self] in self?.copy(command: $0) }
    connectRows()
    root.addStyle("drop-place")
    root.onDrop(of: TextFormat.mimeTypes) { [weak pasting] in pasting?.take($0) }
    showPage()
  }

  /// Follows what the user has set; before anything is read.
  func follow(_ preferences: Preferences, _ shortcut: GlobalShortcutController) {
    useSizeLimit(preferences.sizeLimit)
    sizeLimit = preferences.observe(.sizeLimit) { [weak self] in
      self?.useSizeLimit(preferences.sizeLimit)
    }
    showShortcut(shortcut.state)
    shortcutState = shortcut.observe { [weak self, weak shortcut] in
      if let shortcut { self?.showShortcut(shortcut.state) }
    }
  }

  private func showShortcut(_ state: ShortcutState) {
    emptyPage.add(state.message, command: state.command)
  }

  /// Puts the command to bind on the clipboard.
  private func copy(command: String) {
    Task { [weak self, clipboard] in
      do {
        try await clipboard.offer(ClipText(validating: Array(command.utf8)))
        self?.emptyPage.showCopied()
      } catch {
        self?.report(tr("Not copied: the clipboard is out of reach."))
      }
    }
  }

  /// Whether the clipboard is read.
  var isReading = false {
    didSet { if isReading != oldValue { capture.follow(isReading) } }
  }

  /// Whether the window is on the screen.
  var isShown = false {
    didSet { list.isShown = isShown }
  }

  /// How many clips there are.
  var count: Int { model.count }

  /// Calls each time that a clip is on the clipboard.
  var onCopied: (@MainActor () -> Void)? {
    get { actions.onCopied }
    set { actions.onCopied = newValue }
  }

  /// Calls where the history has to be opened anew: it is damaged, or another file is in its place.
  var onBroken: (@MainActor (StoreError) -> Void)?

  /// Whether another file, or none, is in the history's place by now.
  var isReplaced: Bool { reader.isReplaced }

  /// Gives the newest clip the keyboard, or the page that says that there is none.
  func focusNewest() {
    list.focusNewest()
    if model.count == 0 { emptyPage.focus() }
  }

  /// Connects the keys that work wherever in the window the keyboard is.
  func connectKeys(of window: Widget) {
    // The window may outlive this content, and has the keys of the next one then.
    window.onKeys(HistoryKey.undo.triggers) { [weak actions] in
      actions?.undo()
      return actions != nil
    }
    window.onKeys(HistoryKey.paste.triggers) { [weak pasting] in
      pasting?.paste()
      return pasting != nil
    }
    window.onControlDigit { [weak self] digit in
      guard let self, digit <= model.count else { return false }
      actions.copy(model.id(at: digit - 1))
      return true
    }
  }

  /// Deletes every clip, for good.
  func clear() { actions.clear { [weak newClips] in newClips?.discard() } }

  /// Adds the clips older than those of the first page, once that is on the screen.
  func loadRest() {
    guard model.mayHaveMore else { return }
    Task { [weak self, store, oldest = model.oldestOfFirstPage] in
      do throws(StoreError) {
        let ids = try await store.ids(olderThan: oldest)
        self?.model.addOlder(ids)
      } catch {
        self?.failed(error, saying: error.message)
      }
    }
  }

  /// Returns when what was captured and what the user asked for so far is on disk.
  func settle() async {
    await pasting.settle()
    await capture.settle()
    await actions.settle()
    // A copy is noted there.
    await capture.settle()
  }

  /// Ends all that uses the history, and closes it.
  func close() async {
    detach()
    await settle()
    await store.close()
  }

  /// Reads nothing any more, and gives up what is being read.
  func endReading() { capture.close() }

  /// Takes apart what must be gone before the widgets.
  func detach() {
    endReading()
    menu.detach()
  }

  // MARK: -

  private func connectRows() {
    list.view.onRowClick(.primary) { [weak self] row, _ in
      if let clip = row.clip { self?.actions.copy(clip.id) }
    }
    // The second click of two that come quickly.
    list.view.onActivate { [weak self] position in
      guard let self else { return }
      actions.copy(model.id(at: position))
    }
    list.view.onRowDrag { [weak self] row in
      row.clip.flatMap { self?.actions.content(of: $0.id) }
    } icon: { row in
      DragCard(row.clip).root
    }
    // Before the row, which would take Space for a selection.
    connect(.copy, beforeChildren: true) { $0.copy($1) }
    connect(.copyAndDelete) { $0.copyAndDelete($1) }
    connect(.delete) { $0.delete($1) }
  }

  /// Has keys do something with the row that has the keyboard.
  private func connect(
    _ key: HistoryKey, beforeChildren: Bool = false,
    to action: @escaping @MainActor (RowActions, Clip.ID) -> Void
  ) {
    list.view.onKeys(key.triggers, beforeChildren: beforeChildren) { [weak self] in
      guard let self, let clip = list.focusedClip else { return false }
      action(actions, clip.id)
      return true
    }
  }

  private func captured(_ outcome: CaptureOutcome) {
    switch outcome {
    case .recorded(let clip): newClips.add(clip)
    case .failed(let error): failed(error, saying: outcome.message ?? error.message)
    default: if let message = outcome.message { report(message) }
    }
  }

  /// What can be mended by opening the history anew is told to whoever can; the rest to the user.
  private func failed(_ error: StoreError, saying message: String) {
    switch error {
    case .damaged, .replaced: onBroken?(error)
    default: report(message)
    }
  }

  /// Shows what was pasted at the top, also where it was the newest clip already.
  private func pasted(_ outcome: CaptureOutcome) {
    if outcome.message == nil { focusNewest() }
    captured(outcome)
  }

  private func deletionsChanged(_ count: Int) {
    // Its buttons go: the keyboard must not go with them.
    if count == 0 && undoBar.hasFocus { list.focusAgain() }
    undoBar.show(count)
  }

  private func useSizeLimit(_ bytes: Int) {
    capture.limits.bytes = bytes
  }

  private func showPage() {
    let wasEmpty = pages.shown == "empty"
    if model.count == 0 {
      pages.show("empty") { emptyPage.root }
      emptyPage.focus()
    } else {
      pages.show("list") { list.root }
      if wasEmpty { list.focusNewest() }
    }
  }
}

/// Passes on what is sent, once the receiver exists.
@MainActor
private final class Relay<Value> {
  var receive: (@MainActor (Value) -> Void)?
  func send(_ value: Value) { receive?(value) }
}
