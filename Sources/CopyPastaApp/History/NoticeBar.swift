import GtkKit

/// One line at the window's lower edge that says what went wrong, and goes by itself.
@MainActor
final class NoticeBar {
  private static let time = Duration.seconds(8)
  private static let longTime = Duration.seconds(60)

  let root: Revealer
  private let label = Label()
  private var timer: Timeout?

  init() {
    label.wrap(lines: 4)
    label.expand(horizontally: true)
    let bar = Box(.horizontal, spacing: 12, [label])
    bar.addStyle("notice")
    root = Revealer(child: bar)
    bar.append(
      Button(icon: "window-close-symbolic", name: tr("Close")) { [weak self] in self?.hide() }.flat())
  }

  /// Shows a line, for some seconds, or `forLong` where it is said only once.
  func show(_ text: String, forLong: Bool = false) {
    label.text = text
    root.isRevealed = true
    timer = Timeout(after: forLong ? Self.longTime : Self.time) { [weak self] in self?.hide() }
  }

  private func hide() {
    root.isRevealed = false
    timer = nil
  }
}
