import GtkKit

/// The indicator in the header bar that shows whether the clipboard is being read; a click pauses or resumes reading.
@MainActor
final class ReadingIndicator {
  /// Whether copies are recorded and, if not, why.
  enum State: Equatable {
    case reading
    /// The window is not active.
    case idle
    case paused
    /// The text on the clipboard was skipped, because a password manager marked it as secret.
    case secret
    /// Nothing can be recorded, for this reason.
    case unable(String)

    fileprivate var style: String {
      switch self {
      case .reading: "active"
      case .idle, .unable: "idle"
      case .paused: "paused"
      case .secret: "secret"
      }
    }
  }

  /// The longest time for which the indicator reports a skipped secret.
  static let secretTime = Duration.seconds(6)

  /// The button, which shrinks to its dot if its text does not fit.
  let root: ShrinkingBox
  let button: ToggleButton
  private let label = Label()
  private var secretTimer: Timeout?
  /// When a skipped secret was last shown; one that follows soon is not announced again.
  private var lastSecretTime: ContinuousClock.Instant?
  private var expectation: Timeout?
  private var shown: State?
  /// Whether the window is hidden, after having been shown.
  private var isHidden = false

  init() {
    let dot = Box(.horizontal)
    button = ToggleButton(child: Box(.horizontal, spacing: 6, [dot, Squeezer(label)]), action: "win.pause")
    root = ShrinkingBox(button, whileHidden: label)
    button.addStyle("reading-indicator")
    button.align(vertically: .center)
    // The indicator has priority over the window's title, which is shortened if necessary. Long texts wrap to two
    // lines.
    label.wrap(withinWords: false)
    label.preferOneLine()
    label.keepWidth(ofCharacters: 7)
    label.limitWidth(toCharacters: 30)
    // The button's accessible name contains the text.
    label.setAccessibleRole(.presentation)
    dot.addStyle("dot")
    dot.align(horizontally: .center, vertically: .center)
    button.onHide(weakly(self) { $0.isHidden = true })
    button.onShow(
      weakly(self) {
        $0.isHidden = false
        $0.show()
      })
    show()
  }

  var state = State.idle {
    didSet {
      guard state != oldValue else { return }
      // Stop reporting a skipped secret, because after a focus loss or a pause the clipboard's content is unknown.
      (secretTimer, lastSecretTime) = (nil, nil)
      if state == .reading { expectation = nil }
      show()
      if state == .paused || oldValue == .paused { button.announce(state.name) }
    }
  }

  /// Shows *Recording* in advance while the window is being shown, so that the window is not drawn twice.
  ///
  /// The window gets the focus, and reading begins, a few milliseconds after it is shown.
  func expectReading() {
    expectation = Timeout(after: Window.focusLimit) { [weak self] in
      self?.expectation = nil
      self?.show()
    }
    show()
  }

  /// Shows that a secret was skipped, for a few seconds at most, and announces it once to a screen reader.
  func showSecret() {
    // The window may have lost the focus before the outcome reached the main thread.
    guard state == .reading else { return }
    let now = ContinuousClock.now
    let isFirst = lastSecretTime.map { now - $0 >= Self.secretTime } ?? true
    lastSecretTime = now
    secretTimer = Timeout(after: Self.secretTime) { [weak self] in
      self?.secretTimer = nil
      self?.show()
    }
    show()
    if isFirst { button.announce(State.secret.name) }
  }

  /// Ends `showSecret`, because the clipboard now has other content.
  func hideSecret() {
    guard secretTimer != nil else { return }
    secretTimer = nil
    show()
  }

  private func show() {
    let expected = state == .idle && expectation != nil ? .reading : state
    let state = secretTimer == nil ? expected : .secret
    // Ignore `idle` while the window is hidden, because it will probably be active when it is shown again.
    guard state != shown, !(isHidden && state == .idle) else { return }
    if let shown { button.removeStyle(shown.style) }
    button.addStyle(state.style)
    shown = state
    label.text = state.name
    label.wrapIfLonger(than: 7)
    button.setAccessibleName(state.name)
    button.tooltip = state.explanation
    button.setAccessibleDescription(state.explanation)
  }
}

extension ReadingIndicator.State {
  /// The indicator's text.
  var name: String {
    switch self {
    case .reading: tr("Recording")
    case .idle, .unable: tr("Not Recording")
    case .paused: tr("Paused")
    case .secret: tr("Secret Skipped")
    }
  }

  fileprivate var explanation: String {
    switch self {
    case .reading:
      tr("Recording what you copy while this window is in front. Click to pause.")
    case .idle:
      tr("Not recording, because this window is not in front. Click to pause.")
    case .unable(let reason): reason
    case .paused:
      tr("Paused. Only what you paste or drop here is recorded. Click to resume.")
    case .secret:
      tr("A password manager marked the copied text as secret, so it was skipped. Click to pause.")
    }
  }
}
