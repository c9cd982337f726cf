import GtkKit

/// Makes the start at login follow the setting, and the setting follow what the desktop really does.
@MainActor
final class StartAtLogin {
  /// What makes the desktop start the program with the session.
  @MainActor
  protocol Entry {
    /// Whether it does; nil if that cannot be seen.
    var isSet: Bool? { get }

    /// Makes the desktop start the program with the session, or not any more.
    func set(_ starts: Bool) async throws(EntryError)
  }

  /// Why the start at login could not be set.
  enum EntryError: Error, Equatable {
    /// There is a file that this program has not made.
    case notOurs(path: String)
    /// The desktop, or the user when it asked, did not allow it.
    case refused
    /// The file could not be written or removed.
    case failed(path: String, reason: String)

    var message: String {
      switch self {
      case .notOurs(let path):
        tr("The start at login stays as it is: “%s” was not made by CopyPasta.").filled(with: path)
      case .refused: tr("The start at login stays as it is: the desktop did not allow the change.")
      case .failed(let path, let reason):
        tr("The start at login could not be changed: “%s”: %s").filled(with: path, reason)
      }
    }
  }

  private let preferences: Preferences
  private let entry: any Entry
  private let failed: @MainActor (String) -> Void
  private var observation: Observation?
  /// What was last achieved.
  private var isSet: Bool
  private var work: Task<Void, Never>?

  /// - Parameter failed: called with the reason if the setting went back.
  init(_ preferences: Preferences, _ entry: any Entry, failed: @escaping @MainActor (String) -> Void) {
    self.preferences = preferences
    self.entry = entry
    self.failed = failed
    isSet = entry.isSet ?? preferences.startsAtLogin
    observation = preferences.observe(.startsAtLogin) { [weak self] in self?.changed() }
    reconcile()
  }

  /// Brings the setting up to date: the desktop's own settings may have changed it, or the file may have been removed.
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

  /// Does what the setting says.
  ///
  /// - Returns: whether the setting has changed meanwhile.
  private func takeStep() async -> Bool {
    let wanted = preferences.startsAtLogin
    do throws(EntryError) {
      try await entry.set(wanted)
      isSet = wanted
    } catch {
      isSet = entry.isSet ?? isSet
      // If the user has changed it back meanwhile, nothing has failed.
      if preferences.startsAtLogin != isSet {
        preferences.startsAtLogin = isSet
        failed(error.message)
      }
    }
    return preferences.startsAtLogin != isSet
  }
}
