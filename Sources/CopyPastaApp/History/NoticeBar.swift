import GtkKit

/// The bar at the window's lower edge that shows notices, announces them to screen readers, and closes automatically.
@MainActor
final class NoticeBar {
  /// The pause before a notice is announced.
  ///
  /// During this pause, a screen reader announces a simultaneous change of the focus, such as to another page, which
  /// would otherwise interrupt the notice.
  private static let pause = Duration.milliseconds(150)

  /// How long a notice is shown.
  enum Lifetime: CaseIterable {
    /// Use this for a notice that is not repeated; a short notice does not replace it.
    case long
    /// Replaced by the next short notice.
    case short

    var time: Duration { self == .long ? .seconds(60) : .seconds(8) }
  }

  /// The action that a notice offers: a button's label, and its effect.
  typealias Action = (words: String, run: @MainActor () -> Void)

  /// Stays empty until there is a notice, so that the first frame does not wait for its content.
  let root = Revealer()
  private lazy var content = makeContent()
  private let time: @MainActor (Lifetime) -> Duration
  private let giveBackFocus: @MainActor () -> Void
  private var notices: [Lifetime: (text: String, action: Action?, timer: Timeout)] = [:]
  /// The notices that were not announced yet.
  private var unannounced: Set<String> = []
  private var pauseTimer: Timeout?

  /// - Parameters:
  ///   - time: Returns how long a notice is shown; tests shorten it.
  ///   - giveBackFocus: Moves the focus back when the bar closes while its button has the focus.
  init(
    time: @escaping @MainActor (Lifetime) -> Duration = { $0.time },
    giveBackFocus: @escaping @MainActor () -> Void
  ) {
    self.time = time
    self.giveBackFocus = giveBackFocus
  }

  private func makeContent() -> (bar: Box, label: Label, action: Button, actionLabel: Label) {
    let label = Label()
    label.wrap()
    let words = ScrollingBox(label)
    words.expand(horizontally: true)
    let actionLabel = Label()
    let action = Button(child: actionLabel)
    action.isVisible = false
    action.onClick(weakly(self) { $0.runAction() })
    action.align(vertically: .center)
    action.leaveFocusOnClick()
    let row = ReflowingBox(words, action)
    row.expand(horizontally: true)
    let closeButton = Button(
      icon: "window-close-symbolic", name: tr("Close"), weakly(self) { $0.hide() })
    closeButton.align(vertically: .start)
    let bar = Box(.horizontal, spacing: 6, [row, closeButton])
    bar.addStyle("notice")
    root.setChild(bar)
    return (bar, label, action, actionLabel)
  }

  /// Whether the window is active; notices that were shown before are announced when it becomes active.
  var canAnnounce = false {
    didSet { if canAnnounce { announce() } }
  }

  /// Shows a notice, with a button if there is an `action`; use `.long` for a notice that is not repeated.
  func show(_ text: String, lifetime: Lifetime = .short, action: Action? = nil) {
    let timer = Timeout(after: time(lifetime), weakly(self) { $0.end(lifetime) })
    notices[lifetime] = (text, action, timer)
    unannounced.insert(text)
    draw()
    if canAnnounce { announce() }
  }

  private func end(_ lifetime: Lifetime) {
    notices[lifetime] = nil
    if notices.isEmpty { hide() } else { draw() }
  }

  private var texts: [String] { Lifetime.allCases.compactMap { notices[$0]?.text } }

  private var action: Action? { Lifetime.allCases.lazy.compactMap { self.notices[$0]?.action }.first }

  private func draw() {
    content.label.text = texts.joined(separator: "\n")
    if let action {
      content.actionLabel.text = action.words
      content.action.setAccessibleName(action.words)
      content.bar.addStyle("offer")
    } else {
      content.bar.removeStyle("offer")
    }
    content.action.isVisible = action != nil
    root.isRevealed = true
  }

  private func hide() {
    if root.hasFocusWithin { giveBackFocus() }
    // Keep the text while the bar slides out.
    root.isRevealed = false
    notices = [:]
  }

  private func runAction() {
    let action = action
    hide()
    action?.run()
  }

  private func announce() {
    guard !unannounced.isDisjoint(with: texts) else { return }
    pauseTimer = Timeout(after: Self.pause) { [weak self] in
      guard let self, canAnnounce else { return }
      let words = texts.filter(unannounced.contains).joined(separator: " ")
      unannounced = []
      if !words.isEmpty { root.announce(words) }
    }
  }
}
