import GtkKit

/// The number of MiB that the largest text may have.
@MainActor
final class SizeLimitButton {
  let root = SpinButton(Preferences.sizeLimits, page: 16)
  private let preferences: Preferences
  private var observation: Observation?

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
