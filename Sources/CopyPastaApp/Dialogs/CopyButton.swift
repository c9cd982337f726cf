import GtkKit

/// A button for copying, which briefly shows and announces that the copy is on the clipboard.
@MainActor
final class CopyButton {
  let root: Button
  private let label = Label()
  private let check = Image(icon: "object-select-symbolic")
  private let name: String
  private var timer: Timeout?

  /// - Parameter name: The button's text, with `_` before the mnemonic if it has one.
  init(_ name: String) {
    self.name = name
    check.isVisible = false
    check.setAccessibleRole(.presentation)
    root = Button(child: Box(.horizontal, spacing: 6, [check, label]))
    root.addStyle("text-button")
    label.show(nameOf: root, name)
  }

  func showCopied() {
    root.announce(tr("Copied"))
    check.isVisible = true
    root.addStyle("copied")
    label.show(nameOf: root, tr("Copied"))
    timer = Timeout(
      after: .milliseconds(1500),
      weakly(self) {
        $0.check.isVisible = false
        $0.root.removeStyle("copied")
        $0.label.show(nameOf: $0.root, $0.name)
      })
  }
}
