import GtkKit

/// What makes the desktop start the program with the session.
@MainActor
protocol LoginEntry {
  /// Whether it does; nil where that cannot be seen.
  var isSet: Bool? { get }

  /// Has it do so, or not any more.
  func set(_ starts: Bool) async throws(AutostartError)
}

/// Keeps the start at login as the user sets it, and the setting as the start at login is.
@MainActor
final class StartAtLogin {
  private let preferences: Preferences
  private let entry: any LoginEntry
  private let failed: @MainActor (String) -> Void
  private var observation: Observation?
  /// What was last achieved.
  private var isSet: Bool
  private var work: Task<Void, Never>?

  /// - Parameter failed: called with the reason where the setting went back.
  init(_ preferences: Preferences, _ entry: any LoginEntry, failed: @escaping @MainActor (String) -> Void) {
    self.preferences = preferences
    self.entry = entry
    self.failed = failed
    isSet = entry.isSet ?? preferences.startsAtLogin
    observation = preferences.observe(.startsAtLogin) { [weak self] in self?.changed() }
    reconcile()
  }

  /// Shows how it is: the desktop's own settings may have changed it, or somebody may have removed the file.
  func reconcile() {
    guard work == nil, let isSet = entry.isSet else { return }
    self.isSet = isSet
    preferences.startsAtLogin = isSet
  }

  private func changed() {
    // One question at a time: what runs looks at the setting again when it is done.
    guard work == nil, preferences.startsAtLogin != isSet else { return }
    work = Task { [weak self] in
      while await self?.takeStep() == true {}
      self?.work = nil
    }
  }

  /// Does what the setting says; the answer is whether that has changed meanwhile.
  private func takeStep() async -> Bool {
    let wanted = preferences.startsAtLogin
    do throws(AutostartError) {
      try await entry.set(wanted)
      isSet = wanted
    } catch {
      isSet = entry.isSet ?? isSet
      // Where the user has changed it back meanwhile, nothing has failed.
      if preferences.startsAtLogin != isSet {
        preferences.startsAtLogin = isSet
        failed(error.message)
      }
    }
    return preferences.startsAtLogin != isSet
  }
}
