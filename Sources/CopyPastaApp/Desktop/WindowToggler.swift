import GtkKit
import SerialQueue

/// Shows and hides the window, as one key asks for it.
@MainActor
final class WindowToggler {
  /// How long a window that is to be shown may take to get the focus; a toggle before that is a repetition.
  private static let arrivalTime = Duration.seconds(1)

  /// How long a window may be without the focus before it hides, if the user wants that: on the way from one window of
  /// ours to another neither has it.
  private static let lossTime = Duration.milliseconds(150)

  /// How long before a click on the tray icon the desktop may have taken the focus away for it: GNOME's menu takes it
  /// at the first press of a double click.
  private static let clickTime = Duration.milliseconds(500)

  private let window: HistoryWindow
  private let preferences: @MainActor () -> Preferences
  private let hidden: @MainActor () -> Void
  private var observations: [ListenerToken] = []
  /// Runs while a window that is to be shown may still get the focus.
  private var arrival: Timeout?
  private var loss: Timeout?
  /// Whether the X server is being asked which window is in front, for a toggle and for a loss of the focus.
  private var isAsking = false
  private var focusLossCheck: Task<Void, Never>?
  /// Runs for a moment after the window lost the focus.
  private var recentLoss: Timeout?

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
    observations = [
      window.activity.add(weakly(self) { $0.activityChanged() }),
      window.copies.add(weakly(self) { if preferences()[flag: .hidesAfterCopying] { $0.hide() } }),
    ]
  }

  /// Shows the window in front, with the focus on the newest row.
  func show(_ activation: Activation) {
    // A Wayland compositor may leave a window where it is and only call it urgent (sway does), token or not. A window
    // that is new to it comes up where the user works, with the focus.
    if window.isShown, !window.isActive, Display.backend == .wayland { window.hide() }
    window.present(activation)
    guard !window.isActive else { return }
    arrival = Timeout(after: Self.arrivalTime, weakly(self) { $0.arrival = nil })
  }

  /// Hides the window if the user works in it, and brings it to the front if not.
  func toggle(_ activation: Activation) {
    if arrival != nil || isAsking { return }
    guard window.isShown, !window.isActive else { return window.isActive ? hide() : show(activation) }
    isAsking = true
    Task.unpooled { [self] in
      let isInFront = await window.isInFront()
      isAsking = false
      if isInFront { hide() } else { show(activation) }
    }
  }

  /// Toggles the window for a click on the tray icon, even if the click itself has taken the focus away.
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

  private func activityChanged() {
    loss = nil
    focusLossCheck?.cancel()
    recentLoss = nil
    if window.isActive {
      arrival = nil
    } else if window.isShown {
      recentLoss = Timeout(after: Self.clickTime, weakly(self) { $0.recentLoss = nil })
      // A dialog of ours may be closed, and the focus on its way back, when the time is up.
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
    // A key of the desktop's is held down: whether the focus is lost is not known yet.
    if isInFront { return waitForLoss() }
    // The user may work on in a dialog that was opened since.
    guard !window.isActive, Window.shownCount < 2 else { return }
    let takenByClick = recentLoss
    hide()
    recentLoss = takenByClick
  }
}
