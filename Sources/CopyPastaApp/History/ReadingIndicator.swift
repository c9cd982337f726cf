import GtkKit

/// The mark in the header that says whether the clipboard is read now, and pauses it.
@MainActor
final class ReadingIndicator {
  /// Whether the clipboard is read now, or why not; the value is the style class.
  enum State: String, CaseIterable {
    case reading = "active"
    /// The window is not active.
    case idle
    /// The user has paused reading.
    case paused
    /// The text on the clipboard was left out: a password manager marked it.
    case secret
  }

  /// How long the indicator shows at most that a secret was skipped.
  static let secretTime = Duration.seconds(6)

  let root: ToggleButton
  private let label = Label()
  private var secretTimer: Timeout?
  private var expectation: Timeout?
  private var shown: State?

  init() {
    let dot = Box(.horizontal)
    root = ToggleButton(child: Box(.horizontal, spacing: 6, [dot, label]), action: "win.pause")
    root.addStyle("reading-indicator")
    root.align(vertically: .center)
    // The mark counts more than the name of the window, which gives way. Long words take two lines.
    label.wrap(withinWords: false)
    label.keepWidth(ofCharacters: 7)
    label.limitWidth(toCharacters: 30)
    // The button's name has the words.
    label.setAccessibleRole(.presentation)
    dot.addStyle("dot")
    dot.align(horizontally: .center, vertically: .center)
    show()
  }

  /// Whether the clipboard is read now.
  var state = State.idle {
    didSet {
      guard state != oldValue else { return }
      // The focus was lost, or reading was paused: the clipboard may hold anything by now.
      secretTimer = nil
      if state == .reading { expectation = nil }
      show()
      if state == .paused || oldValue == .paused { root.announce(state.name.withoutMnemonic) }
    }
  }

  /// Says for a moment that the clipboard is read before it is, for a window that is being shown.
  ///
  /// The focus comes some milliseconds behind the window, which would be drawn twice.
  func expectReading() {
    expectation = Timeout(after: Window.focusLimit) { [weak self] in
      self?.expectation = nil
      self?.show()
    }
    show()
  }

  /// Shows that a secret was skipped, for some seconds at most, and announces it once to a screen reader.
  func showSecret() {
    // The window may have lost the focus before the main thread got to it.
    guard state == .reading else { return }
    let isNews = secretTimer == nil
    secretTimer = Timeout(after: Self.secretTime) { [weak self] in
      self?.secretTimer = nil
      self?.show()
    }
    show()
    if isNews { root.announce(State.secret.name.withoutMnemonic) }
  }

  /// Ends `showSecret`, because the clipboard holds something else by now.
  func hideSecret() {
    guard secretTimer != nil else { return }
    secretTimer = nil
    show()
  }

  private func show() {
    let expected = state == .idle && expectation != nil ? .reading : state
    let state = secretTimer == nil ? expected : .secret
    guard state != shown else { return }
    if let shown { root.removeStyle(shown.rawValue) }
    root.addStyle(state.rawValue)
    shown = state
    label.show(nameOf: root, state.name)
    root.tooltip = state.explanation
    root.setAccessibleDescription(state.explanation)
  }
}

extension ReadingIndicator.State {
  /// The words of the mark, with `_` before the letter that presses it together with Alt.
  var name: String {
    switch self {
    case .reading: tr("_Recording")
    case .idle: tr("_Not Recording")
    case .paused: tr("_Paused")
    case .secret: tr("_Secret Skipped")
    }
  }

  fileprivate var explanation: String {
    switch self {
    case .reading:
      tr("Recording what you copy while this window is in front. Click to pause.")
    case .idle:
      tr("Not recording, because another window is in front. Click to pause.")
    case .paused:
      tr("Paused. Only what you paste or drop here is recorded. Click to resume.")
    case .secret:
      tr("A password manager marked the copied text as secret, so it was skipped. Click to pause.")
    }
  }
}

/// Whether the user has paused reading the clipboard: until it is resumed, or the program ends.
@MainActor
final class ReadingPause {
  /// The action that buttons and menus show and turn over.
  let action = ToggleAction("pause")
  /// Told when reading was paused or resumed.
  let changes = Observers<Void>()

  init() { action.onChange { [changes] in changes.notify() } }

  /// Whether nothing is to be asked of any owner of the clipboard, unless the user pastes.
  var isPaused: Bool {
    get { action.isOn }
    set { action.isOn = newValue }
  }
}
