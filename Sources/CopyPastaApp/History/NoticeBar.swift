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
  enum Lifetime {
    /// Use this for a notice that is not repeated; no other notice replaces it.
    case long
    /// Replaced by the next short notice.
    case short

    var time: Duration { self == .long ? .seconds(60) : .seconds(8) }
  }

  /// The action that a notice offers: a button's label, and its effect.
  typealias Action = (words: String, run: @MainActor () -> Void)

  private final class Notice {
    let text: String
    let lifetime: Lifetime
    let action: Action?
    /// Ends the notice; nil until the window is active.
    var timer: Timeout?
    var isAnnounced = false

    init(_ text: String, _ lifetime: Lifetime, _ action: Action?) {
      self.text = text
      self.lifetime = lifetime
      self.action = action
    }
  }

  /// Stays empty until there is a notice, so that the first frame does not wait for its content.
  let root = Revealer()
  private lazy var content = makeContent()
  private let time: @MainActor (Lifetime) -> Duration
  private let giveBackFocus: @MainActor () -> Void
  /// The notices in the order in which they are shown.
  private var notices: [Notice] = []
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

  /// Whether the window is active; notices that were shown before are announced, and their time begins, when it
  /// becomes active.
  var canAnnounce = false {
    didSet { if canAnnounce { begin() } }
  }

  /// Shows a notice, with a button if there is an `action`; use `.long` for a notice that is not repeated.
  ///
  /// It replaces an older notice if both are short, or if both are long and have the same text.
  func show(_ text: String, lifetime: Lifetime = .short, action: Action? = nil) {
    notices.removeAll { $0.lifetime == lifetime && (lifetime == .short || $0.text == text) }
    notices.append(Notice(text, lifetime, action))
    draw()
    if canAnnounce { begin() }
  }

  /// Removes a notice whose reason no longer exists.
  func withdraw(_ text: String) { notices.filter { $0.text == text }.forEach(end) }

  private func end(_ notice: Notice) {
    notices.removeAll { $0 === notice }
    if notices.isEmpty { hide() } else { draw() }
  }

  /// The oldest notice with an action, which the button runs.
  private var offer: Notice? { notices.first { $0.action != nil } }

  private func draw() {
    content.label.text = notices.map(\.text).joined(separator: "\n")
    if let action = offer?.action {
      content.actionLabel.text = action.words
      content.action.setAccessibleName(action.words)
      content.bar.addStyle("offer")
    } else {
      if content.action.hasFocusWithin { giveBackFocus() }
      content.bar.removeStyle("offer")
    }
    content.action.isVisible = offer != nil
    root.isRevealed = true
  }

  private func hide() {
    if root.hasFocusWithin { giveBackFocus() }
    // Keep the text while the bar slides out.
    root.isRevealed = false
    notices = []
  }

  private func runAction() {
    guard let offer else { return }
    end(offer)
    offer.action?.run()
  }

  /// Starts the time of new notices, and announces them.
  private func begin() {
    for notice in notices where notice.timer == nil {
      notice.timer = Timeout(after: time(notice.lifetime)) { [weak self, weak notice] in
        if let notice { self?.end(notice) }
      }
    }
    guard notices.contains(where: { !$0.isAnnounced }) else { return }
    pauseTimer = Timeout(after: Self.pause) { [weak self] in
      guard let self, canAnnounce else { return }
      let new = notices.filter { !$0.isAnnounced }
      for notice in new { notice.isAnnounced = true }
      if !new.isEmpty { root.announce(new.map(\.text).joined(separator: " ")) }
    }
  }
}
