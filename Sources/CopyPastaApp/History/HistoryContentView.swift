import GtkKit

/// The part of the window below its header: the clips, or a page in their place, and the bar that offers to undo.
@MainActor
final class HistoryContentView {
  let root: Overlay
  /// Says what to do if there is no clip yet, and when the clipboard is read.
  private(set) lazy var emptyPage = StatusPage.empty(copy: copyCommand)
  private let copyCommand: @MainActor () -> Void
  private let pages = Stack()
  private let undoBar: UndoBar
  /// The page in place of the rows, if there are none or the history is not open.
  private var page: StatusPage?
  private var list: HistoryList?

  /// - Parameters:
  ///   - controller: the history to undo deletions in; nil if it is not open.
  ///   - copyCommand: copies the command that the empty page shows.
  init(
    controller: @escaping @MainActor () -> HistoryController?, copyCommand: @escaping @MainActor () -> Void
  ) {
    self.copyCommand = copyCommand
    undoBar = UndoBar(of: controller)
    root = Overlay(pages, under: [undoBar.root])
  }

  /// Shows the clips, or what to do if there is none.
  func show(_ list: HistoryList) {
    undoBar.show(0)
    pages.removeAll()
    self.list = list
    draw()
  }

  /// Shows a page in place of the clips.
  func show(_ page: StatusPage, takesFocus: Bool) {
    pages.removeAll()
    list = nil
    pages.show("status") { page.root }
    self.page = page
    if takesFocus { page.focus() }
  }

  /// Shows what there is now that clips came or went.
  func draw() {
    guard let list else { return }
    let wasEmpty = pages.shown == "empty"
    page = list.controller.model.count == 0 ? emptyPage : nil
    if let page {
      pages.show("empty") { page.root }
      page.focus()
    } else {
      pages.show("list") { list.root }
      if wasEmpty { list.focusNewest() }
    }
  }

  /// Moves the focus to the newest row, or to the page that says why there is none.
  func focusNewest() {
    list?.focusNewest()
    page?.focus()
  }

  /// Gives the focus back to the row that had it, or to the page in its place.
  func focusAgain() {
    if let list, page == nil { list.focusAgain() } else { focusNewest() }
  }

  /// Offers to undo so many deletions, or none.
  func showDeletions(_ count: Int) {
    // The bar's buttons go: the focus must not go with them.
    if count == 0 && undoBar.hasFocus { focusAgain() }
    undoBar.show(count)
    list?.isUnderUndoBar = count > 0
  }
}

/// The bar over the list's lower edge that says that something was deleted, and offers to bring it back.
@MainActor
final class UndoBar {
  let root: Revealer
  private let bar: Box
  private let label = Label()

  /// - Parameter controller: has the deletions; nil while the history is not open.
  init(of controller: @escaping @MainActor () -> HistoryController?) {
    label.ellipsize()
    label.expand(horizontally: true)
    let undoButton = Button(words: tr("Undo")) { controller()?.undoAll() }
    let closeButton = Button(icon: "window-close-symbolic", name: tr("Close")) {
      controller()?.deletions.forget()
    }
    // A click leaves the focus in the list.
    for button in [undoButton, closeButton] { button.leaveFocusOnClick() }
    closeButton.addStyle("circular")
    bar = Box(.horizontal, spacing: 6, [label, undoButton, closeButton])
    bar.setAccessibleRole(.group)
    bar.addStyle("osd")
    bar.addStyle("undo-bar")
    root = Revealer(child: bar)
    root.align(horizontally: .center, vertically: .end)
    // By the pointer or the focus.
    bar.onArrival { controller()?.deletions.prolong() }
  }

  /// Whether the focus is on one of its buttons.
  var hasFocus: Bool { root.hasFocusWithin }

  /// Says how many deletions can be undone, and goes if there are none.
  func show(_ count: Int) {
    // The words stay while the bar slides out.
    if count > 0 {
      label.text = Self.words(count)
      bar.setAccessibleName(label.text)
    }
    root.isRevealed = count > 0
  }

  static func words(_ count: Int) -> String {
    count == 1
      ? tr("Deleted")
      : trn("%s text deleted", "%s texts deleted", count).filled(with: Format.number(count))
  }
}
