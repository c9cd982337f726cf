import GtkKit

/// The content of the window below its header: the list of clips or a status page, and the messages over it.
@MainActor
final class HistoryContentView {
  let root: Overlay
  /// The page of an empty history, which explains when the clipboard is read.
  private(set) lazy var emptyPage = StatusPage.empty()
  private(set) lazy var messages = MessageBar(over: root) { [weak self] in
    self?.focusAgain()
  } entered: { [session] in
    session.deletions.prolong()
  } covers: { [weak self] in
    self?.coveredHeight = $0
  }
  private let pages = Stack()
  private let session: HistorySession
  /// The page in place of the list; nil while the list is shown.
  private var page: StatusPage?
  private var list: HistoryList?

  init(_ session: HistorySession) {
    self.session = session
    root = Overlay(pages, under: [])
  }

  /// Whether recording is paused; the first steps then explain how to resume it.
  var isPaused = false {
    didSet {
      guard isPaused != oldValue else { return }
      list?.isPaused = isPaused
      draw()
    }
  }

  /// The height that messages cover at the lower edge, in pixels.
  private var coveredHeight = 0 {
    didSet {
      list?.coveredHeight = coveredHeight
      page?.coveredHeight = coveredHeight
    }
  }

  /// Shows the list of clips, or the empty page if the list is empty.
  ///
  /// - Returns: Whether something else was shown before.
  @discardableResult
  func show(_ list: HistoryList) -> Bool {
    guard self.list !== list else { return false }
    pages.removeAll()
    self.list = list
    list.isPaused = isPaused
    list.coveredHeight = coveredHeight
    draw()
    return true
  }

  /// Shows a page in place of the list, unless it is shown.
  func show(_ page: StatusPage, takesFocus: Bool) {
    guard list != nil || self.page?.title != page.title || self.page?.text != page.text else { return }
    pages.removeAll()
    list = nil
    pages.show("status") { page.root }
    self.page = page
    page.coveredHeight = coveredHeight
    if takesFocus { page.focus() }
  }

  /// Switches between the list and the empty page after clips were added or removed.
  func draw() {
    guard let list else { return }
    let wasEmpty = pages.shown == "empty"
    let model = list.session.model
    page = model.count == 0 ? emptyPage : nil
    if let page {
      let isNew = model.countEver == 0
      page.title = isNew ? tr("No Items Yet") : tr("History Is Empty")
      page.text = isNew || isPaused ? StatusPage.firstSteps(isPaused: isPaused) : ""
      page.coveredHeight = coveredHeight
      guard !wasEmpty else { return }
      pages.show("empty") { page.root }
      page.focus()
    } else {
      pages.show("list") { list.root }
      if wasEmpty { list.focusNewest() }
    }
  }

  /// Moves the focus to the newest row, or to the page in place of the list.
  func focusNewest() {
    list?.focusNewest()
    page?.focus()
  }

  /// Moves the focus back to the row that had it last, or to the page in place of the list.
  private func focusAgain() {
    if let list, page == nil { list.focusAgain() } else { focusNewest() }
  }
}
