import GtkKit

/// The window as something that one key brings and takes away.
@MainActor
final class Popup {
  /// A desktop's own shortcut takes the keyboard from the window while the key is down: what lost it within this
  /// time before a toggle counts as being in front.
  private static let keyTime = Duration.milliseconds(300)
  /// How long a window that is to be shown may take to get the keyboard; a toggle before that is a repetition.
  private static let arrivalTime = Duration.seconds(1)

  /// How long a window without the keyboard may wait for it before it hides, where the user wants that: a key that is
  /// grabbed takes the keyboard for a moment, and so does the change from one window of ours to another.
  private static let lossTime = Duration.milliseconds(150)

  private let window: HistoryWindow
  private let preferences: @MainActor () -> Preferences
  private let hidden: @MainActor () -> Void
  private var wasActive: ContinuousClock.Instant?
  private var isArriving = false
  private var arrival: Timeout?
  private var loss: Timeout?

  /// - Parameters:
  ///   - preferences: asked for when they are needed, which is not for the first frame.
  ///   - hidden: called when the window has been hidden.
  init(
    _ window: HistoryWindow, preferences: @escaping @MainActor () -> Preferences,
    hidden: @escaping @MainActor () -> Void
  ) {
    self.window = window
    self.preferences = preferences
    self.hidden = hidden
    window.onActivityChange { [weak self] in self?.activityChanged() }
    window.onCopied { [weak self] in
      if preferences().hidesAfterCopying { self?.hide() }
    }
  }

  /// Shows the window in front, with the keyboard on the newest row.
  func show(_ activation: Activation) {
    // A Wayland compositor may leave a window where it is and only call it urgent (sway does), token or not. A window
    // that is new to it comes up where the user works, with the keyboard.
    if window.isShown, !window.isActive, Display.backend == .wayland { window.hide() }
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
    loss = nil
    if window.isActive {
      isArriving = false
      arrival = nil
    } else if window.isShown {
      wasActive = .now
      loss = Timeout(after: Self.lossTime) { [weak self] in self?.keyboardLost() }
    }
  }

  private func keyboardLost() {
    // A dialog of ours that has the keyboard is the user's work in this window.
    guard !window.isActive, !Window.isAnyActive, preferences().hidesOnFocusLoss else { return }
    hide()
  }
}
