import GtkKit

/// One line at the window's lower edge that says what went wrong, also to a screen reader, and goes by itself.
@MainActor
final class NoticeBar {
  private static let time = Duration.seconds(8)
  private static let longTime = Duration.seconds(60)
  /// What else comes with a notice, such as another page that takes the focus, is said before: it would cut it off.
  private static let pause = Duration.milliseconds(150)

  let root: Revealer
  private let label = Label()
  private let giveBackFocus: @MainActor () -> Void
  private var timer: Timeout?
  /// What was not said to a screen reader yet.
  private var unsaid: String?
  private var pauseTimer: Timeout?

  /// - Parameter giveBackFocus: moves the focus elsewhere, as the button that has it goes.
  init(giveBackFocus: @escaping @MainActor () -> Void) {
    self.giveBackFocus = giveBackFocus
    label.wrap(lines: 4)
    label.expand(horizontally: true)
    let bar = Box(.horizontal, spacing: 12, [label])
    bar.addStyle("notice")
    root = Revealer(child: bar)
    bar.append(
      Button(icon: "window-close-symbolic", name: tr("Close")) { [weak self] in self?.hide() }.flat())
  }

  /// Whether the user works in the window; what is shown before is said then.
  var isHeard = false {
    didSet { if isHeard { say() } }
  }

  /// Shows a line, for some seconds, or `forLong` if it is said only once.
  func show(_ text: String, forLong: Bool = false) {
    label.text = text
    root.isRevealed = true
    timer = Timeout(after: forLong ? Self.longTime : Self.time) { [weak self] in self?.hide() }
    unsaid = text
    if isHeard { say() }
  }

  private func hide() {
    if root.hasFocusWithin { giveBackFocus() }
    root.isRevealed = false
    timer = nil
    unsaid = nil
  }

  private func say() {
    guard unsaid != nil else { return }
    pauseTimer = Timeout(after: Self.pause) { [weak self] in
      guard let self, isHeard, let words = unsaid else { return }
      unsaid = nil
      root.announce(words)
    }
  }
}
