import GtkKit

/// A bar with words and buttons that slides into view, below the list or over it.
///
/// Its content is created when it is first shown, so that the first frame does not wait for it.
@MainActor
final class Bar {
  /// The bar's buttons: those next to the words, or below them if there is not enough room, and one at the end.
  typealias Buttons = (beside: Widget, atEnd: Widget?)

  /// How long an announcement waits.
  ///
  /// During this pause, a screen reader announces a simultaneous change of the focus, which would otherwise interrupt
  /// the words.
  static let pause = Duration.milliseconds(300)

  let root = Revealer()
  private let style: String
  private let makeButtons: @MainActor () -> Buttons
  private let pause: Duration
  private let giveBackFocus: @MainActor () -> Void
  private lazy var content = makeContent()
  private var pauseTimer: Timeout?

  /// - Parameters:
  ///   - style: The style class.
  ///   - pause: How long `announce` waits.
  ///   - giveBackFocus: Moves the focus back when the bar closes while one of its buttons has the focus.
  init(
    _ style: String, pause: Duration = Bar.pause, giveBackFocus: @escaping @MainActor () -> Void,
    buttons: @escaping @MainActor () -> Buttons
  ) {
    self.style = style
    self.pause = pause
    self.giveBackFocus = giveBackFocus
    makeButtons = buttons
  }

  private func makeContent() -> (box: Box, label: Label) {
    let label = Label()
    label.wrap()
    label.preferOneLine()
    label.expand(horizontally: true)
    let buttons = makeButtons()
    let line = ReflowingBox(label, buttons.beside)
    line.expand(horizontally: true)
    let box = Box(.horizontal, spacing: 6, [line] + [buttons.atEnd].compactMap(\.self))
    box.setAccessibleRole(.group)
    box.addStyle(style)
    root.setChild(box)
    return (box, label)
  }

  /// Whether the window is active; otherwise `announce` does nothing.
  var canAnnounce = false

  /// The widget with the style class.
  var box: Box { content.box }

  /// Slides the bar into view with these words.
  func show(_ words: String) {
    content.label.text = words
    box.setAccessibleName(words)
    root.isRevealed = true
  }

  /// Slides the bar out of view, with its words.
  func hide() {
    if root.hasFocusWithin { giveBackFocus() }
    root.isRevealed = false
  }

  /// After a pause, announces what `words` returns, if the window is still active; nil announces nothing.
  func announce(_ words: @escaping @MainActor () -> String?) {
    pauseTimer = Timeout(after: pause) { [weak self] in
      guard let self, canAnnounce, let words = words() else { return }
      root.announce(words)
    }
  }

  /// Puts bars below each other; if they need more room than there is, they scroll, so that the list stays visible.
  static func scrollingStack(_ bars: [Widget]) -> Widget {
    let scrolled = ScrolledWindow(child: Box(.vertical, bars))
    scrolled.setAccessibleName(tr("Notices"))
    scrolled.addStyle("bars")
    return ScrollingBox(scrolled)
  }
}
