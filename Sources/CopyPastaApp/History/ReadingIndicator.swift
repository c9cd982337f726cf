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

    fileprivate static let styles = ["active", "idle", "paused", "secret"]

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
  /// Ends the report of a skipped secret.
  private var secretTimer: Timeout?

  init() {
    let dot = Box(.horizontal)
    button = ToggleButton(child: Box(.horizontal, [dot, Squeezer(label)]), action: "win.pause")
    root = ShrinkingBox(button, whileHidden: label)
    button.addStyle("reading-indicator")
    button.align(vertically: .center)
    // The indicator has priority over the window's title, which is shortened if necessary. Long texts wrap to two
    // lines.
    label.wrap(withinWords: false)
    label.preferOneLine()
    label.limitWidth(toCharacters: 30)
    // The button's accessible name contains the text.
    label.setAccessibleRole(.presentation)
    dot.addStyle("dot")
    dot.align(horizontally: .center, vertically: .center)
    show(state)
  }

  var state = State.idle {
    didSet {
      guard state != oldValue else { return }
      // Stop reporting a skipped secret, because after a focus loss or a pause the clipboard's content is unknown.
      secretTimer = nil
      show(state)
      if state == .paused || oldValue == .paused { button.announce(state.name) }
    }
  }

  /// Shows that a secret was skipped, for a few seconds at most, and announces it unless it is shown already.
  func showSecret() {
    // The window may have lost the focus before the outcome reached the main thread.
    guard state == .reading else { return }
    if secretTimer == nil { button.announce(State.secret.name) }
    secretTimer = Timeout(after: Self.secretTime, weakly(self) { $0.hideSecret() })
    show(.secret)
  }

  /// Ends `showSecret`, because the clipboard now has other content.
  func hideSecret() {
    secretTimer = nil
    show(state)
  }

  private func show(_ state: State) {
    guard label.text != state.name || button.tooltip != state.explanation else { return }
    State.styles.forEach(button.removeStyle)
    button.addStyle(state.style)
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
      tr("Recording continues when this window is in front.")
    case .unable(let reason): reason
    case .paused:
      tr("Paused: copies are not saved. Click to resume.")
    case .secret:
      tr("A password manager marked the copied text as secret, so it was skipped. Click to pause.")
    }
  }
}
