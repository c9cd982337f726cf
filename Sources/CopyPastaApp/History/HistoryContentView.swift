import GtkKit

/// The content of the window below its header: the list of clips or a status page, and the undo bar.
@MainActor
final class HistoryContentView {
  let root: Overlay
  /// The page of an empty history, which explains when the clipboard is read.
  private(set) lazy var emptyPage = StatusPage.empty(copy: copyCommand)
  private let copyCommand: @MainActor () -> Void
  private let pages = Stack()
  private let session: HistorySession
  private lazy var undoBar = UndoBar(of: session, giveBackFocus: weakly(self) { $0.focusAgain() })
  /// The page in place of the list; nil while the list is shown.
  private var page: StatusPage?
  private var list: HistoryList?

  /// - Parameter copyCommand: Copies the command that the empty page shows.
  init(_ session: HistorySession, copyCommand: @escaping @MainActor () -> Void) {
    self.copyCommand = copyCommand
    self.session = session
    root = Overlay(pages, under: [])
    root.add(undoBar.root)
  }

  /// Whether recording is paused; the first steps then explain how to resume it.
  var isPaused = false {
    didSet {
      guard isPaused != oldValue else { return }
      emptyPage.text = StatusPage.firstSteps(isPaused: isPaused)
      list?.isPaused = isPaused
    }
  }

  func isShowing(_ list: HistoryList) -> Bool { self.list === list }

  /// Shows the list of clips, or the empty page if the list is empty.
  func show(_ list: HistoryList) {
    pages.removeAll()
    self.list = list
    list.isPaused = isPaused
    draw()
  }

  func show(_ page: StatusPage, takesFocus: Bool) {
    let takesFocus = takesFocus || undoBar.hasFocus
    showDeletions(0)
    pages.removeAll()
    list = nil
    pages.show("status") { page.root }
    self.page = page
    if takesFocus { page.focus() }
  }

  /// Switches between the list and the empty page after clips were added or removed.
  func draw() {
    guard let list else { return }
    let wasEmpty = pages.shown == "empty"
    let model = list.session.model
    page = model.count == 0 ? emptyPage : nil
    if let page {
      page.title = model.countEver == 0 ? tr("Nothing Copied Yet") : tr("History Is Empty")
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
  func focusAgain() {
    if let list, page == nil { list.focusAgain() } else { focusNewest() }
  }

  /// Offers to undo `count` deletions; 0 hides the offer.
  ///
  /// - Parameter wasCopied: Whether the last clip was copied before it was deleted.
  func showDeletions(_ count: Int, wasCopied: Bool = false) {
    undoBar.show(count, wasCopied: wasCopied)
    list?.isUnderUndoBar = count > 0
  }
}

/// The bar over the list's lower edge that shows how many items were deleted and offers to restore them.
@MainActor
final class UndoBar {
  private let bar: Bar
  private var isConnected = false
  private let session: HistorySession

  /// - Parameter giveBackFocus: Moves the focus back when the bar closes while one of its buttons has the focus.
  init(of session: HistorySession, giveBackFocus: @escaping @MainActor () -> Void) {
    self.session = session
    bar = Bar("undo-bar", giveBackFocus: giveBackFocus) {
      let undoButton = Button(words: tr("Undo")) { session.undoAll() }
      let closeButton = Button(icon: "window-close-symbolic", name: tr("Close")) {
        session.deletions.forget()
      }
      // Leave the focus in the list on a click.
      for button in [undoButton, closeButton] { button.leaveFocusOnClick() }
      closeButton.addStyle("circular")
      closeButton.align(vertically: .center)
      return (undoButton, closeButton)
    }
    root.align(horizontally: .center, vertically: .end)
  }

  var root: Revealer { bar.root }

  var hasFocus: Bool { root.hasFocusWithin }

  /// Shows how many deletions can be undone; 0 hides the bar.
  func show(_ count: Int, wasCopied: Bool = false) {
    guard count > 0 else { return bar.hide() }
    bar.show(Self.words(count, wasCopied: wasCopied))
    guard !isConnected else { return }
    isConnected = true
    bar.box.addStyle("osd")
    // Let deletions be undone for longer when the pointer or the focus enters the bar.
    bar.box.onArrival { [session] in session.deletions.prolong() }
  }

  static func words(_ count: Int, wasCopied: Bool = false) -> String {
    guard count == 1 else {
      return trn("%s item deleted", "%s items deleted", count).filled(with: Format.number(count))
    }
    return wasCopied ? tr("Copied and deleted") : tr("Deleted")
  }
}
