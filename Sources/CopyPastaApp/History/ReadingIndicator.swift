import GtkKit

/// The dot and the word in the header that say whether the clipboard is read now.
@MainActor
final class ReadingIndicator {
  let root: Widget
  private let dot = Box(.horizontal)
  private let label = Label()

  init() {
    root = Box(.horizontal, spacing: 6, [dot, label])
    root.addStyle("reading-indicator")
    root.align(vertically: .center)
    // It counts more than the name of the window, which gives way. If it is long it takes two lines.
    label.wrap(withinWords: false)
    label.keepWidth(ofCharacters: 7)
    label.limitWidth(toCharacters: 30)
    dot.addStyle("dot")
    dot.align(horizontally: .center, vertically: .center)
    isReading = false
    show()
  }

  var isReading: Bool {
    didSet { if isReading != oldValue { show() } }
  }

  private func show() {
    label.text = isReading ? tr("Reading") : tr("Not reading")
    root.tooltip =
      isReading
      ? tr("CopyPasta is reading the clipboard because this window is active.")
      : tr("CopyPasta is not reading the clipboard because this window is not active.")
    if isReading { root.addStyle("active") } else { root.removeStyle("active") }
  }
}
