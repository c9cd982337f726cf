import ClipHistory
import GtkKit

/// The list of clips on the screen: rows, ages, and the flash of what was copied.
@MainActor
final class HistoryList {
  /// How long a copied row stays marked.
  static let flashTime = Duration.milliseconds(550)

  let root: ScrolledWindow
  let view: ListView<ClipRow>
  private let model: HistoryListModel
  /// Whether the keyboard goes on to each new row, because the user has not used the list since it was shown.
  private var followsNewest = false
  private var flashes: [Int64: Timeout] = [:]
  private var ages: AgeClock?

  init(model: HistoryListModel, now: @escaping @Sendable () -> Int64) {
    self.model = model
    view = ListView(model: model.listModel) { [unowned model] in
      ClipRow(at: $0, now: now) { model.count }
    }
    view.addStyle("history")
    view.setAccessibleName(tr("Clipboard history"))
    view.leaveByTab()
    view.onTooltip { $0.moreText }
    root = ScrolledWindow(child: view)
    view.onAnyInput { [weak self] kind in self?.used(by: kind) }
    // After the view, which has connected to the model before.
    model.listModel.onItemsChanged { [weak self] _, _, _ in self?.placesChanged() }
    root.expand(horizontally: true, vertically: true)
    ages = AgeClock(now: now) { [weak self] in
      self?.view.boundRows.compactMap(\.clip?.capturedAt) ?? []
    } refresh: { [weak self] in
      LocalTime.updateZone()
      // Those out of sight, too: they may be scrolled back into it before the next time.
      self?.view.boundRows.forEach { $0.refreshAge() }
    }
  }

  /// Whether the list is on the screen; ages are kept right only then.
  var isShown = false {
    didSet { ages?.isRunning = isShown }
  }

  /// Gives the newest row the keyboard, and each newer one until the user makes a choice.
  func focusNewest() {
    followsNewest = true
    showsFocus = true
    guard model.count > 0 else { return }
    view.focus(0)
  }

  /// The clip that the keyboard acts on.
  var focusedClip: Clip? { view.focusedRow?.clip }

  /// Shows clips that were just recorded; they come in the order of their captures.
  ///
  /// What the user looks at stays in its place; only who is at the very top sees them come in.
  func insertNewest(_ clips: [Clip]) {
    let isAtTop = root.offset == 0
    model.insertNewest(clips)
    if isAtTop {
      if followsNewest { view.focus(0) } else { view.scroll(to: 0) }
    }
    ages?.rowsChanged()
  }

  /// Takes a clip off the list; the keyboard goes on to its neighbour.
  @discardableResult
  func remove(_ id: Int64) -> Clip? {
    guard let position = model.position(of: id) else { return nil }
    let hadFocus = focusedClip?.id == id
    let clip = model.remove(id)
    if hadFocus && model.count > 0 { view.focus(min(position, model.count - 1)) }
    return clip
  }

  /// Puts a clip back at its old place.
  func restore(_ clip: Clip) {
    model.restore(clip)
    ages?.rowsChanged()
  }

  /// Gives a clip's row the keyboard, after bringing it into view.
  func focus(_ id: Int64) {
    if let position = model.position(of: id) { view.focus(position) }
  }

  /// Gives the keyboard back to the row that had it last.
  func focusAgain() { view.grabFocus() }

  /// Takes every clip off the list.
  func removeAll() { model.removeAll() }

  /// Marks a row as copied, for a moment.
  func flash(_ id: Int64) {
    row(of: id)?.showCopied(true)
    flashes[id] = Timeout(after: Self.flashTime) { [weak self] in
      self?.flashes[id] = nil
      self?.row(of: id)?.showCopied(false)
    }
  }

  /// Makes a screen reader say something.
  func announce(_ words: String) { view.announce(words) }

  /// Whether the row that has the keyboard is marked.
  ///
  /// GTK's own ring goes 3 s after the last key, and a list has no other mark for where one is.
  private var showsFocus = false {
    didSet {
      guard showsFocus != oldValue else { return }
      if showsFocus { view.addStyle("by-keyboard") } else { view.removeStyle("by-keyboard") }
    }
  }

  private func used(by kind: InputKind) {
    followsNewest = false
    showsFocus = kind == .key
  }

  /// Only the rows near what is seen have a view, whose name says its place.
  private func placesChanged() { view.boundRows.forEach { $0.refreshName() } }

  private func row(of id: Int64) -> ClipRow? { view.boundRows.first { $0.clip?.id == id } }
}
