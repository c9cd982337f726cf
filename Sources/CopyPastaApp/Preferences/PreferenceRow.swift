import GtkKit

/// One setting: its name, a line that explains it, and what changes it.
@MainActor
final class PreferenceRow {
  let root: Widget
  /// What a click anywhere on the row does.
  let clicked: (@MainActor () -> Void)?

  /// - Parameter title: with `_` before the letter that goes to the control together with Alt.
  init(_ title: String, _ explanation: String, _ control: Widget, clicked: (@MainActor () -> Void)? = nil) {
    let name = Label(title, of: control)
    name.wrap()
    let words = Label(explanation)
    words.wrap()
    words.addStyle("explanation")
    control.setAccessibleDescription(explanation)
    control.align(vertically: .center)
    let text = Box(.vertical, spacing: 3, [name, words])
    text.expand(horizontally: true)
    text.align(vertically: .center)
    root = Box(.horizontal, spacing: 12, [text, control])
    root.addStyle("preference")
    self.clicked = clicked
  }
}
