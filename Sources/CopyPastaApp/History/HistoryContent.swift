import ClipHistory
import GtkKit

/// What fills the window where there is a history: the list or the empty state, and all that acts on them.
@MainActor
final class HistoryContent {
  let root: Widget
  private let store: HistoryStore
  private let model: HistoryListModel
  private let list: HistoryList
  private let pages: Stack
  private let actions: RowActions
  private let menu: RowMenu
  private let recorder: CaptureRecorder
  private let watcher: ClipboardWatcher
  private let newClips: Batch<Clip>
  private let report: @MainActor (String) -> Void

  /// - Parameter height: the window's, in pixels, which the first page of clips is to fill.
  /// - Throws: where the history cannot be opened, or its first page not be read.
  init(
    _ environment: Environment, height: Int, report: @escaping @MainActor (String) -> Void
  ) throws(StoreError) {
    let history = try environment.history.get()
    self.report = report
    store = history.store
    model = try HistoryListModel(
      reader: history.reader, firstPageSize: height / ClipRow.leastHeight + 1)
    let list = HistoryList(model: model, now: environment.now)
    self.list = list
    pages = Stack()
    root = pages
    newClips = Batch { [weak list] in list?.insertNewest($0) }
    let outcomes = Relay<CaptureOutcome>()
    recorder = CaptureRecorder(store: store, now: environment.now) { outcomes.send($0) }
    watcher = ClipboardWatcher(environment.clipboard, into: recorder)
    actions = RowActions(
      store: store, clipboard: environment.clipboard, recorder: recorder, list: list, report: report)
    menu = RowMenu(on: list.view, actions: actions)
    outcomes.receive = { [weak self] in self?.captured($0) }
    model.onFailure = { report($0.message) }
    connect()
    showPage()
  }

  /// Whether the clipboard is read.
  var isReading = false {
    didSet { watcher.isActive = isReading }
  }

  /// Whether the window is on the screen.
  var isShown = false {
    didSet { list.isShown = isShown }
  }

  /// Calls each time that a clip is on the clipboard.
  var onCopied: (@MainActor () -> Void)? {
    get { actions.onCopied }
    set { actions.onCopied = newValue }
  }

  /// Gives the newest clip the keyboard.
  func focusNewest() { list.focusNewest() }

  /// Adds the clips older than those of the first page, once that is on the screen.
  func loadRest() {
    guard model.mayHaveMore else { return }
    Task { [weak self, store, oldest = model.oldestOfFirstPage] in
      do throws(StoreError) {
        let ids = try await store.ids(olderThan: oldest)
        self?.model.addOlder(ids)
      } catch {
        self?.report(error.message)
      }
    }
  }

  /// Returns when what was captured and what the user asked for so far is on disk.
  func settle() async {
    await recorder.settle()
    await actions.settle()
    // A copy is noted by the recorder.
    await recorder.settle()
  }

  /// Takes apart what must be gone before the widgets.
  func detach() {
    watcher.isActive = false
    menu.detach()
  }

  private func connect() {
    list.view.onRowClick(.primary) { [weak self] row, _ in
      if let clip = row.clip { self?.actions.copy(clip.id) }
    }
    list.view.onActivate { [weak self] position in
      guard let self else { return }
      actions.copy(model.id(at: position))
    }
    // Before the row, which would take Space for a selection.
    list.view.onKeys("space", "KP_Space", "<Control>c", "<Control>Insert", beforeChildren: true) {
      [weak self] in
      guard let self, let clip = list.focusedClip else { return false }
      actions.copy(clip.id)
      return true
    }
    list.view.onKeys("Delete", "KP_Delete") { [weak self] in
      guard let self, let clip = list.focusedClip else { return false }
      actions.delete(clip.id)
      return true
    }
    model.onCountChange = { [weak self] in self?.showPage() }
  }

  private func captured(_ outcome: CaptureOutcome) {
    switch outcome {
    case .recorded(let clip): newClips.add(clip)
    case .ignored: break
    case .refused(let refusal): report(refusal.message)
    case .failed(let error): report(tr("Not recorded.") + " " + error.message)
    }
  }

  private func showPage() {
    if model.count == 0 {
      pages.show("empty") { StatusPage.empty.root }
    } else {
      pages.show("list") { list.root }
    }
  }
}

/// Passes on what is sent, once the receiver exists.
@MainActor
private final class Relay<Value> {
  var receive: (@MainActor (Value) -> Void)?
  func send(_ value: Value) { receive?(value) }
}
