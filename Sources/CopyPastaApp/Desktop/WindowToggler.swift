import GtkKit
import SerialQueue

/// Shows and hides the window for the global shortcut, the tray icon and the preferences that hide it automatically.
@MainActor
final class WindowToggler {
  /// How long the window may take to get the focus after `show`; a toggle within this time is a key repetition.
  private static let arrivalTime = Duration.seconds(1)

  /// How long the window may be without the focus before it hides, if `hidesOnFocusLoss` is on.
  ///
  /// While the focus moves between two windows of this program, neither has it.
  private static let lossTime = Duration.milliseconds(150)

  /// How long before a click on the tray icon the click itself may have taken the focus away.
  ///
  /// GNOME's menu takes it at the first press of a double click.
  private static let clickTime = Duration.milliseconds(500)

  private let window: HistoryWindow
  private let preferences: @MainActor () -> Preferences
  private let hidden: @MainActor () -> Void
  private var observations: [ListenerToken] = []
  /// Whether the key that toggles the window has shown it, rather than the launcher.
  private var isCalledUp = false
  /// Runs while the window was shown but may still be about to get the focus.
  private var arrival: Timeout?
  private var loss: Timeout?
  /// Whether a toggle waits for the X server's answer whether the window is in front.
  private var isAsking = false
  private var focusLossCheck: Task<Void, Never>?
  private var recentLoss: Timeout?

  /// - Parameters:
  ///   - preferences: Returns the preferences, which are not loaded before the first frame.
  ///   - hidden: Called when the window has been hidden.
  init(
    _ window: HistoryWindow, preferences: @escaping @MainActor () -> Preferences,
    hidden: @escaping @MainActor () -> Void
  ) {
    self.window = window
    self.preferences = preferences
    self.hidden = hidden
    observations = [
      window.activity.add(weakly(self) { $0.activityChanged() }),
      window.copies.add(weakly(self) { $0.copied() }),
    ]
  }

  /// Shows the window in front, with the focus on the newest row.
  func show(_ activation: Activation) {
    isCalledUp = false
    bringUp(activation)
  }

  private func bringUp(_ activation: Activation) {
    // Hide the window first, because a Wayland compositor may leave it where it is and only mark it as urgent, even
    // with a token (sway does). A newly mapped window appears on the current workspace with the focus.
    if window.isShown, !window.isActive, Display.backend == .wayland { window.hide() }
    window.present(activation)
    guard !window.isActive else { return }
    arrival = Timeout(after: Self.arrivalTime, weakly(self) { $0.arrival = nil })
  }

  /// Hides the window if it is in front, and shows it in front otherwise.
  func toggle(_ activation: Activation) {
    if arrival != nil || isAsking { return }
    guard window.isShown, !window.isActive else { return window.isActive ? hide() : callUp(activation) }
    isAsking = true
    Task.unpooled { [self] in
      let isInFront = await window.isInFront()
      isAsking = false
      if isInFront { hide() } else { callUp(activation) }
    }
  }

  private func callUp(_ activation: Activation) {
    isCalledUp = true
    bringUp(activation)
  }

  /// Toggles the window for a click on the tray icon, hiding it also if the click has taken its focus away.
  func toggleByClick(_ activation: Activation) {
    if recentLoss == nil { toggle(activation) } else { hide() }
  }

  func hide() {
    recentLoss = nil
    guard window.isShown else { return }
    arrival = nil
    window.hide()
    hidden()
  }

  /// Hides the window after a copy if `hidesAfterCopying` is on; otherwise offers that once if a key showed the window.
  private func copied() {
    let preferences = preferences()
    guard !preferences[flag: .hidesAfterCopying] else { return hide() }
    guard isCalledUp, window.isActive, preferences.isWritable(.hidesAfterCopying) else { return }
    window.services.hints.showOnce(.hideAfterCopying) { [weak self, window] in
      window.showNotice(
        tr("Hide the window after copying?"),
        offering: (
          tr("Always Hide"),
          {
            preferences[flag: .hidesAfterCopying] = true
            self?.hide()
          }
        ))
    }
  }

  private func activityChanged() {
    loss = nil
    focusLossCheck?.cancel()
    recentLoss = nil
    if window.isActive {
      arrival = nil
    } else if window.isShown {
      recentLoss = Timeout(after: Self.clickTime, weakly(self) { $0.recentLoss = nil })
      // Start no countdown while a dialog is shown: it could close just before the end, with the focus on its way back.
      if Window.shownCount < 2 { waitForLoss() }
    }
  }

  private func waitForLoss() {
    guard preferences()[flag: .hidesOnFocusLoss] else { return }
    let ask = weakly(self) { toggler in toggler.focusLossCheck = Task.unpooled { await toggler.focusIsLost() }
    }
    loss = Timeout(after: Self.lossTime, ask)
  }

  private func focusIsLost() async {
    let isInFront = await window.isInFront()
    guard !Task.isCancelled else { return }
    // Still in front: a desktop shortcut that is held down grabs the keyboard. Look again later.
    if isInFront { return waitForLoss() }
    // The window has the focus again, or a dialog was opened meanwhile.
    guard !window.isActive, Window.shownCount < 2 else { return }
    let takenByClick = recentLoss
    hide()
    recentLoss = takenByClick
  }
}
