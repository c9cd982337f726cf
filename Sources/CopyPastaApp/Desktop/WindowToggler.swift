import GtkKit
import SerialQueue

/// Shows and hides the window for the global shortcut, the tray icon and the preferences that hide it automatically.
@MainActor
final class WindowToggler {
  /// How long the window may take to get the focus once it is shown; a toggle before that is ignored as key repetition.
  private static let arrivalTime = Duration.seconds(1)

  /// How long the window may be without the focus before it hides, if `hidesOnFocusLoss` is on.
  ///
  /// While the focus moves between two windows of this program, neither window has it.
  private static let lossTime = Duration.milliseconds(150)

  /// A focus loss within this time before a click on the tray icon counts as caused by the click.
  ///
  /// On GNOME, the first press of a double click opens a menu, which takes the focus.
  private static let clickTime = Duration.milliseconds(500)

  private let window: HistoryWindow
  private let preferences: @MainActor () -> Preferences
  private let hidden: @MainActor () -> Void
  private var observations: [ListenerToken] = []
  /// Whether the window was shown by a toggle (shortcut, tray icon or `--toggle`), not by the launcher.
  private var isShownByToggle = false
  /// When the window lost the focus; nil if the window has the focus again, or was hidden for a reason other than that
  /// loss.
  private var focusLoss: ContinuousClock.Instant?
  private var state = State.settled {
    didSet { if case .leaving(let check) = oldValue { check.cancel() } }
  }

  private enum State {
    case settled
    /// The window is being shown, and may not have the focus yet.
    case arriving(Timeout)
    /// A toggle waits for the desktop to report whether the window is in front, or to bring the window to the user.
    case asking
    /// The focus was lost; the window hides unless the focus returns.
    case leaving(Task<Void, Never>)
  }

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
      window.session.events.add(weakly(self) { if case .offered = $1 { $0.copied() } }),
    ]
  }

  /// Shows the window in front, with the focus on the newest row.
  func show(_ activation: Activation) {
    isShownByToggle = false
    bringUp(activation)
  }

  private func bringUp(_ activation: Activation) {
    guard window.isShown, !window.isActive else {
      window.present(activation)
      return arrive()
    }
    state = .asking
    Task.unpooled { [self] in
      await window.bringHere(activation)
      if case .asking = state { arrive() }
    }
  }

  /// Waits until the window that was just presented has the focus.
  private func arrive() {
    state =
      window.isActive
      ? .settled : .arriving(Timeout(after: Self.arrivalTime, weakly(self) { $0.state = .settled }))
  }

  /// Hides the window if it or one of its dialogs is in front, and shows it in front otherwise.
  func toggle(_ activation: Activation) {
    switch state {
    case .arriving, .asking: return
    case .settled, .leaving: break
    }
    guard window.isShown, !window.isActive else { return window.isActive ? hide() : callUp(activation) }
    state = .asking
    Task.unpooled { [self] in
      let isInFront = await window.isInFront(orDialog: true)
      guard case .asking = state else { return }
      state = .settled
      if isInFront { hide() } else { callUp(activation) }
    }
  }

  private func callUp(_ activation: Activation) {
    isShownByToggle = true
    bringUp(activation)
  }

  /// Toggles the window for a click on the tray icon; hides the window if the click itself took the focus from it.
  func toggleByClick(_ activation: Activation) {
    if let focusLoss, .now - focusLoss < Self.clickTime { hide() } else { toggle(activation) }
  }

  func hide() {
    focusLoss = nil
    guard window.isShown else { return }
    window.hide()
    hidden()
  }

  /// Hides the window after a copy if `hidesAfterCopying` is on; otherwise offers to turn this on, but only once and
  /// only if a toggle showed the window.
  private func copied() {
    let preferences = preferences()
    guard !preferences[flag: .hidesAfterCopying] else { return hide() }
    guard isShownByToggle, window.isActive, preferences.isWritable(.hidesAfterCopying) else { return }
    window.session.services.hints.showOnce(.hideAfterCopying) { [weak self, window] in
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
    if window.isActive || !window.isShown {
      focusLoss = nil
      // Keep waiting for the server's answer: on X11, the window becomes active again when the keys of a desktop
      // shortcut are released.
      if case .asking = state, window.isShown { return }
      state = .settled
    } else if case .settled = state {
      focusLoss = .now
      // Do not start the wait while a dialog is shown: if the dialog closed just before the wait ended, the window
      // would hide although the focus was about to return.
      if Window.shown.count < 2 { leave() }
    }
  }

  /// Hides the window if the user has switched from a dialog to another program, or if a dialog has closed while
  /// another program had the focus.
  func dialogActivityChanged() {
    if case .settled = state, window.isShown, !Window.shown.contains(where: \.isShownAndActive) { leave() }
  }

  /// Hides the window unless the focus returns soon, if `hidesOnFocusLoss` is on.
  private func leave() {
    guard preferences()[flag: .hidesOnFocusLoss] else { return }
    state = .leaving(Task.unpooled { [weak self] in await self?.hideUnlessFocusReturns() })
  }

  private func hideUnlessFocusReturns() async {
    do throws(CancellationError) {
      // Wait again while a desktop shortcut is held down, because the window then only appears to lose the focus.
      repeat {
        try await Timeout.wait(Self.lossTime)
        // Stay visible if one of the program's windows has the focus again.
        guard !Window.shown.contains(where: \.isShownAndActive) else { return state = .settled }
      } while await window.isInFront(orDialog: true)
    } catch { return }
    guard !Task.isCancelled else { return }
    let takenByClick = focusLoss
    hide()
    focusLoss = takenByClick
  }
}
