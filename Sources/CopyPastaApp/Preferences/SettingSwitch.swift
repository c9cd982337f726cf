import GtkKit

/// A switch that shows a setting and changes it, whoever else does.
@MainActor
final class SettingSwitch {
  let root = Switch()
  private let preferences: Preferences
  private let value: ReferenceWritableKeyPath<Preferences, Bool>
  private var observation: Observation?

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
