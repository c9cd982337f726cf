import GtkKit

/// Settings that belong together: a heading, and a frame of rows.
@MainActor
final class PreferenceGroup {
  let root: Widget

  init(_ title: String, _ rows: [PreferenceRow]) {
    let list = ListBox()
    for row in rows { row.container = list.append(row.root, row.clicked) }
    root = Self.frame(title, list)
  }

  /// Draws a frame around a list, below its heading.
  static func frame(_ title: String, _ list: ListBox) -> Widget {
    let heading = Label(title)
    heading.wrap()
    heading.addStyle("heading")
    list.addStyle("boxed-list")
    list.setLabelledBy(heading)
    return Box(.vertical, spacing: 12, [heading, list])
  }
}

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
    text.align(vertically: .center)
    root = ReflowingBox(text, control)
    root.addStyle("preference")
    explain(explanation)
  }

  /// Explains the setting anew; `spoken` if a screen reader is to hear something else.
  func explain(_ explanation: String, spoken: String? = nil) {
    words.text = explanation
    words.removeStyle("failure")
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

/// A switch that shows a setting and changes it; it follows what other programs set.
@MainActor
final class SettingSwitch {
  let root = Switch()
  private let preferences: Preferences
  private let value: ReferenceWritableKeyPath<Preferences, Bool>
  private var observation: ListenerToken?

  init(
    _ key: Preferences.Key, _ value: ReferenceWritableKeyPath<Preferences, Bool>, of preferences: Preferences
  ) {
    self.preferences = preferences
    self.value = value
    root.isOn = preferences[keyPath: value]
    root.isEnabled = preferences.isWritable(key)
    root.onChange { [weak self] in self?.switched() }
    observation = preferences.observe(key) { [weak self] in self?.show() }
  }

  /// The row of the switch, which a click anywhere turns over.
  func row(_ title: String, _ explanation: String) -> PreferenceRow {
    PreferenceRow(title, explanation, root) { [root] in
      if root.isEnabled { root.isOn.toggle() }
    }
  }

  private func switched() { preferences[keyPath: value] = root.isOn }

  private func show() { root.isOn = preferences[keyPath: value] }
}

/// The number of MiB that the largest text may have.
@MainActor
final class SizeLimitButton {
  let root = SpinButton(Preferences.sizeLimits, page: 16)
  private let preferences: Preferences
  private var observation: ListenerToken?

  init(_ preferences: Preferences) {
    self.preferences = preferences
    root.value = preferences.sizeLimit >> 20
    root.isEnabled = preferences.isWritable(.sizeLimit)
    root.onChange { [weak self] in self?.changed() }
    observation = preferences.observe(.sizeLimit) { [weak self] in self?.show() }
  }

  private func changed() { preferences.sizeLimit = root.value << 20 }

  private func show() { root.value = preferences.sizeLimit >> 20 }
}
