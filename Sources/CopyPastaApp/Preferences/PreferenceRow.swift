import GtkKit

/// One setting: its name, a line that explains it, and what changes it.
@MainActor
final class PreferenceRow {
  let root: Widget
  /// What a click anywhere on the row does.
  let clicked: (@MainActor () -> Void)?
  /// The row of the list that it lies in.
  var container: Widget? {
    didSet { container?.isVisible = isShown }
  }

  private let name: Label
  private let words: Label
  private let control: Widget

  /// - Parameter title: with `_` before the letter that goes to the control together with Alt.
  init(_ title: String, _ explanation: String, _ control: Widget, clicked: (@MainActor () -> Void)? = nil) {
    self.control = control
    self.clicked = clicked
    name = Label(title, of: control)
    name.wrap()
    words = Label()
    words.wrap()
    words.addStyle("explanation")
    control.align(vertically: .center)
    let text = Box(.vertical, spacing: 3, [name, words])
    text.expand(horizontally: true)
    text.align(vertically: .center)
    root = Box(.horizontal, spacing: 12, [text, control])
    root.addStyle("preference")
    explain(explanation)
  }

  /// Explains the setting anew; `spoken` where a screen reader is to hear something else.
  func explain(_ explanation: String, spoken: String? = nil) {
    words.text = explanation
    control.setAccessibleDescription(spoken ?? explanation)
  }

  /// Says in the place of the explanation what went wrong.
  func report(_ message: String) {
    explain(message)
    words.addStyle("failure")
    control.announce(message)
  }

  /// Whether it is in the list at present.
  var isShown = true {
    didSet { container?.isVisible = isShown }
  }
}
