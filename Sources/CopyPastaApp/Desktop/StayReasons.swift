import GtkKit

/// Why the process lives on while its window is hidden.
@MainActor
final class StayReasons {
  enum Reason: CaseIterable {
    /// It was started with `--background`, to be there when it is wanted.
    case background
    /// A tray shows the icon, which brings the window back.
    case trayIcon
    /// A global shortcut brings the window back.
    case shortcut
    /// A text that was copied out of the history is on the clipboard, and would go with the process.
    case offer
  }

  private var holding: Set<Reason> = []
  private var fading: [Reason: Timeout] = [:]
  private let fadeTime: Duration
  private let changed: @MainActor () -> Void

  /// - Parameters:
  ///   - fadeTime: how long the desktop's own reasons outlast their end: a panel that starts again takes the icon
  ///     down and puts it back up.
  ///   - changed: called when a reason has gone.
  init(fadeTime: Duration = .seconds(10), changed: @escaping @MainActor () -> Void) {
    self.fadeTime = fadeTime
    self.changed = changed
  }

  /// Whether nothing keeps the process.
  var isEmpty: Bool { holding.isEmpty && fading.isEmpty }

  /// Says whether a reason holds now.
  func set(_ reason: Reason, holds: Bool) {
    if holds {
      holding.insert(reason)
      fading[reason] = nil
    } else if holding.remove(reason) != nil {
      if reason == .trayIcon || reason == .shortcut { fade(reason) } else { changed() }
    }
  }

  private func fade(_ reason: Reason) {
    fading[reason] = Timeout(after: fadeTime) { [weak self] in
      self?.fading[reason] = nil
      self?.changed()
    }
  }
}
