import GtkKit
import SerialQueue

/// Shows and hides the window for the launcher, the global shortcut, `--toggle` and the tray icon.
///
/// A window that the shortcut, `--toggle` or the tray has shown is a popup. It hides automatically, unless the user has
/// turned that off: after a copy, and when the user switches to another program.
@MainActor
final class WindowToggler {
  /// How long the window may take to get the focus once it is shown; a toggle before that is ignored as key repetition.
  private static let arrivalTime = Duration.seconds(1)

  /// How long a popup may be without the focus before it hides.
  ///
  /// While the focus moves between two windows of this program, neither window has it.
  private static let lossTime = Duration.milliseconds(150)

  /// A focus loss within this time before a click on the tray icon counts as caused by the click.
  ///
  /// On GNOME, the first press of a double click opens a menu, which takes the focus.
  private static let clickTime = Duration.milliseconds(500)

  let window: HistoryWindow
  private let preferences: @MainActor () -> Preferences
  private let hidden: @MainActor () -> Void
  private var observations: [ListenerToken] = []
  private var isPopup = false
  /// When the window lost the focus; nil if the window has the focus again, or was hidden for a reason other than that
  /// loss.
  private var focusLoss: ContinuousClock.Instant?
  private var state = State.settled {
    didSet {
      switch oldValue {
      case .asking(let task), .leaving(let task): task.cancel()
      case .settled, .arriving: break
      }
    }
  }

  /// Leaving a state cancels its task.
  private enum State {
    case settled
    /// The window is being shown, and may not have the focus yet.
    case arriving(Timeout)
    /// Waits for the desktop to report whether the window is in front, or to bring the window to the user.
    case asking(Task<Void, Never>)
    /// The focus was lost; the popup hides unless the focus returns.
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
      window.session.events.add(
        weakly(self) { if case .done(let event, _, _) = $1, event.isCopy, $0.hidesItself { $0.hide() } }),
    ]
  }

  private var hidesItself: Bool { isPopup && preferences()[flag: .hidesPopup] }

  /// Shows the window in front, with the focus on the newest row.
  func show(_ activation: Activation, asPopup isPopup: Bool = false) {
    self.isPopup = isPopup
    guard window.isShown, !window.hasKeyboard else {
      window.present(activation)
      return arrive()
    }
    state = .asking(
      Task.unpooled { [self] in
        await window.bringHere(activation)
        if !Task.isCancelled { arrive() }
      })
  }

  /// Waits until the window that was just presented has the focus.
  private func arrive() {
    state =
      window.isActive
      ? .settled : .arriving(Timeout(after: Self.arrivalTime, weakly(self) { $0.state = .settled }))
  }

  /// Hides the window if it or one of its dialogs is in front, and shows it as a popup otherwise.
  func toggle(_ activation: Activation) {
    switch state {
    case .arriving, .asking: return
    case .settled, .leaving: break
    }
    if window.hasKeyboard { return hide() }
    guard window.isShown else { return show(activation, asPopup: true) }
    state = .asking(
      Task.unpooled { [self] in
        let isInFront = await window.isInFront(orDialog: true)
        guard !Task.isCancelled else { return }
        if isInFront { hide() } else { show(activation, asPopup: true) }
      })
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

  /// Hides the popup if the user has switched from a dialog to another program, or if a dialog has closed while another
  /// program had the focus.
  func dialogActivityChanged() {
    if case .settled = state, window.isShown, !Window.shown.contains(where: \.isShownAndActive) { leave() }
  }

  /// Hides the popup unless the focus returns soon.
  private func leave() {
    guard hidesItself else { return }
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
