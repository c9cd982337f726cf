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
  private let watcher: ClipboardWatcher
  private let report: @MainActor (String) -> Void

  /// - Throws: where the history cannot be opened, or its first page not be read.
  init(_ environment: Environment, report: @escaping @MainActor (String) -> Void) throws(StoreError) {
    let history = try environment.history.get()
    self.report = report
    store = history.store
    model = try HistoryListModel(reader: history.reader)
    let list = HistoryList(model: model, now: environment.now)
    self.list = list
    pages = Stack(pages: [("empty", StatusPage.empty.root), ("list", list.root)])
    root = pages
    let outcomes = Relay<CaptureOutcome>()
    let recorder = CaptureRecorder(store: store, now: environment.now) { outcomes.send($0) }
    watcher = ClipboardWatcher(environment.clipboard, into: recorder)
    actions = RowActions(
      store: store, clipboard: environment.clipboard, recorder: recorder, list: list, report: report)
    menu = RowMenu(on: list.view, actions: actions)
    outcomes.receive = { [weak self] in self?.captured($0) }
    model.onFailure = { report($0.message) }
    connect()
    showPage()
    loadRest()
  }

  /// Whether the clipboard is read.
  var isReading = false {
    didSet { watcher.isActive = isReading }
  }

  /// Whether the window is on the screen.
  var isShown = false {
    didSet { list.isShown = isShown }
  }

  /// Takes apart what must be gone before the widgets.
  func detach() {
    watcher.isActive = false
    menu.detach()
  }

  private func connect() {
    list.view.onActivate { [weak self] position in
      guard let self else { return }
      actions.copy(model.id(at: position))
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
    case .recorded(let clip): list.insertNewest(clip)
    case .ignored: break
    case .refused(let refusal): report(refusal.message)
    case .failed(let error): report(tr("Not recorded.") + " " + error.message)
    }
  }

  private func showPage() { pages.show(page: model.count == 0 ? "empty" : "list") }

  /// Reads the ids of the older clips, once the first page is on the screen.
  private func loadRest() {
    guard model.mayHaveMore else { return }
    MainLoop.whenIdle { [weak self] in
      Task {
        do throws(StoreError) {
          guard let self else { return }
          self.model.addOlder(from: try await self.store.allIDs())
        } catch {
          self?.report(error.message)
        }
      }
    }
  }
}

/// Passes on what is sent, once the receiver exists.
@MainActor
private final class Relay<Value> {
  var receive: (@MainActor (Value) -> Void)?
  func send(_ value: Value) { receive?(value) }
}
