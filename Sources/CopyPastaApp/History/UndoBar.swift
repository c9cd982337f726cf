import GtkKit

/// The bar over the list's lower edge that says that something was deleted, and offers to bring it back.
@MainActor
final class UndoBar {
  let root: Revealer
  private let bar: Box
  private let label = Label()

  /// - Parameters:
  ///   - undo: brings the last deletion back.
  ///   - close: the user wants to see no more of it.
  ///   - noticed: the pointer or the focus has come to the bar.
  init(
    undo: @escaping @MainActor () -> Void, close: @escaping @MainActor () -> Void,
    noticed: @escaping @MainActor () -> Void
  ) {
    label.ellipsize()
    label.expand(horizontally: true)
    let undoButton = Button(words: tr("Undo"), undo)
    let closeButton = Button(icon: "window-close-symbolic", name: tr("Close"), close).flat()
    // A click leaves the focus in the list.
    for button in [undoButton, closeButton] { button.takesFocusOnClick = false }
    closeButton.addStyle("circular")
    bar = Box(.horizontal, spacing: 6, [label, undoButton, closeButton])
    bar.setAccessibleRole(.group)
    bar.addStyle("osd")
    bar.addStyle("undo-bar")
    root = Revealer(child: bar)
    root.align(horizontally: .center, vertically: .end)
    bar.onArrival(noticed)
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
