import GtkKit

/// The window as something that one key brings and takes away.
@MainActor
final class Popup {
  /// A desktop's own shortcut takes the keyboard from the window while the key is down: what lost it within this
  /// time before a toggle counts as being in front.
  private static let keyTime = Duration.milliseconds(300)
  /// How long a window that is to be shown may take to get the keyboard; a toggle before that is a repetition.
  private static let arrivalTime = Duration.seconds(1)

  private let window: HistoryWindow
  private let hidden: @MainActor () -> Void
  private var wasActive: ContinuousClock.Instant?
  private var isArriving = false
  private var arrival: Timeout?

  /// - Parameter hidden: called when the window has been hidden.
  init(_ window: HistoryWindow, hidden: @escaping @MainActor () -> Void) {
    self.window = window
    self.hidden = hidden
    window.onActivityChange { [weak self] in self?.activityChanged() }
  }

  /// Shows the window in front, with the keyboard on the newest row.
  func show(_ activation: Activation) {
    window.present(activation)
    guard !window.isActive else { return }
    isArriving = true
    arrival = Timeout(after: Self.arrivalTime) { [weak self] in self?.isArriving = false }
  }

  /// Hides the window where the user works in it, and brings it to the front otherwise.
  func toggle(_ activation: Activation) {
    if isArriving { return }
    if isInFront { hide() } else { show(activation) }
  }

  func hide() {
    guard window.isShown else { return }
    isArriving = false
    window.hide()
    hidden()
  }

  private var isInFront: Bool {
    guard window.isShown else { return false }
    return window.isActive || wasActive.map { ContinuousClock.now - $0 < Self.keyTime } ?? false
  }

  private func activityChanged() {
    if window.isActive {
      isArriving = false
      arrival = nil
    }
    wasActive = ContinuousClock.now
  }
}
