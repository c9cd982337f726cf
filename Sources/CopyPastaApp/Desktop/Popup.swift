import GtkKit

/// The window as something that one key brings and takes away.
@MainActor
final class Popup {
  /// How long a window that is to be shown may take to get the keyboard; a toggle before that is a repetition.
  private static let arrivalTime = Duration.seconds(1)

  /// How long a window may be without the keyboard before it hides, where the user wants that: on the way from one
  /// window of ours to another neither has it.
  private static let lossTime = Duration.milliseconds(150)

  /// How long before a click on the tray icon the desktop may have taken the keyboard away for it: GNOME's menu takes it
  /// at the first press of a double click.
  private static let clickTime = Duration.milliseconds(500)

  private let window: HistoryWindow
  private let preferences: @MainActor () -> Preferences
  private let hidden: @MainActor () -> Void
  private var isArriving = false
  private var arrival: Timeout?
  private var loss: Timeout?
  /// Whether the X server is being asked which window is in front, for a toggle and for a loss of the keyboard.
  private var isAsking = false
  private var lossQuestion: Task<Void, Never>?
  /// There for a moment after the keyboard was taken from the window.
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
    if isArriving || isAsking { return }
    guard window.isShown, !window.isActive else { return window.isActive ? hide() : show(activation) }
    isAsking = true
    Task { [weak self] in
      let isInFront = await self?.window.isInFront() == true
      self?.isAsking = false
      if isInFront { self?.hide() } else { self?.show(activation) }
    }
  }

  /// Does what a click on the tray icon asks for: the same, also where the click itself has taken the keyboard away.
  func toggleByClick(_ activation: Activation) {
    if recentLoss == nil { toggle(activation) } else { hide() }
  }

  func hide() {
    recentLoss = nil
    guard window.isShown else { return }
    isArriving = false
    window.hide()
    hidden()
  }

  private func activityChanged() {
    loss = nil
    lossQuestion?.cancel()
    recentLoss = nil
    if window.isActive {
      isArriving = false
      arrival = nil
    } else if window.isShown {
      recentLoss = Timeout(after: Self.clickTime) { [weak self] in self?.recentLoss = nil }
      waitForLoss()
    }
  }

  private func waitForLoss() {
    guard preferences().hidesOnFocusLoss else { return }
    loss = Timeout(after: Self.lossTime) { [weak self] in
      self?.lossQuestion = Task { await self?.keyboardIsLost() }
    }
  }

  private func keyboardIsLost() async {
    let isInFront = await window.isInFront()
    guard !Task.isCancelled else { return }
    // A key of the desktop's is held down: it is not known yet.
    if isInFront { return waitForLoss() }
    // While a dialog of ours is open the user's work is there, and goes on here.
    guard !window.isActive, Window.shownCount < 2 else { return }
    let takenByClick = recentLoss
    hide()
    recentLoss = takenByClick
  }
}
