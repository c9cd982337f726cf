import GtkKit

/// The bar at the window's lower edge that shows notices, announces them to screen readers, and closes automatically.
@MainActor
final class NoticeBar {
  /// How long a notice is shown.
  enum Lifetime {
    /// Use this for a notice that the user must not miss; it stays until the user closes it.
    case untilClosed
    /// Use this for a notice that is not repeated; no other notice replaces it.
    case long
    /// Replaced by the next short notice.
    case short

    /// The time; nil if the notice stays.
    var time: Duration? {
      switch self {
      case .untilClosed: nil
      case .long: .seconds(60)
      case .short: .seconds(8)
      }
    }
  }

  /// The action that a notice offers: a button's label, and its effect.
  typealias Action = (words: String, run: @MainActor () -> Void)

  private final class Notice {
    let text: String
    let lifetime: Lifetime
    let action: Action?
    /// Whether the notice says that a copy was not recorded.
    let isAboutCapture: Bool
    /// Ends the notice; nil until the window is active.
    var timer: Timeout?
    var isAnnounced = false

    init(_ text: String, _ lifetime: Lifetime, _ action: Action?, isAboutCapture: Bool) {
      self.text = text
      self.lifetime = lifetime
      self.action = action
      self.isAboutCapture = isAboutCapture
    }
  }

  private lazy var bar = Bar("notice", pause: .milliseconds(150), giveBackFocus: giveBackFocus) {
    [weak self] in
    let close = Button(icon: "window-close-symbolic", name: tr("Close")) { self?.hide() }
    close.align(vertically: .start)
    return (self?.action ?? close, close)
  }
  private lazy var action = makeAction()
  private let actionLabel = Label()
  private let time: @MainActor (Lifetime) -> Duration?
  private let giveBackFocus: @MainActor () -> Void
  /// The notices in the order in which they are shown.
  private var notices: [Notice] = []

  /// - Parameters:
  ///   - time: Returns how long a notice is shown; tests shorten it.
  ///   - giveBackFocus: Moves the focus back when the bar closes while its button has the focus.
  init(
    time: @escaping @MainActor (Lifetime) -> Duration? = { $0.time },
    giveBackFocus: @escaping @MainActor () -> Void
  ) {
    self.time = time
    self.giveBackFocus = giveBackFocus
  }

  var root: Revealer { bar.root }

  private func makeAction() -> Button {
    let button = Button(child: actionLabel)
    button.isVisible = false
    button.onClick(weakly(self) { $0.runAction() })
    button.align(vertically: .center)
    button.leaveFocusOnClick()
    return button
  }

  /// Whether the window is active; only then are notices announced, and does their time begin.
  var canAnnounce = false {
    didSet {
      bar.canAnnounce = canAnnounce
      if canAnnounce { begin() }
    }
  }

  /// Shows a notice, with a button if there is an `action`.
  ///
  /// It replaces an older notice if both are short, or if both have the same longer lifetime and the same text.
  ///
  /// - Parameter isAboutCapture: Whether it says that a copy was not recorded; see `withdrawCaptureFailures`.
  func show(
    _ text: String, lifetime: Lifetime = .short, action: Action? = nil, isAboutCapture: Bool = false
  ) {
    notices.removeAll { $0.lifetime == lifetime && (lifetime == .short || $0.text == text) }
    notices.append(Notice(text, lifetime, action, isAboutCapture: isAboutCapture))
    draw()
    if canAnnounce { begin() }
  }

  /// Removes a notice whose reason no longer exists.
  func withdraw(_ text: String) { notices.filter { $0.text == text }.forEach(end) }

  /// Removes the notices about unrecorded copies, when a later copy has been recorded.
  func withdrawCaptureFailures() { notices.filter(\.isAboutCapture).forEach(end) }

  private func end(_ notice: Notice) {
    notices.removeAll { $0 === notice }
    if notices.isEmpty { hide() } else { draw() }
  }

  /// The oldest notice with an action, which the button runs.
  private var offer: Notice? { notices.first { $0.action != nil } }

  private func draw() {
    if let offer = offer?.action {
      actionLabel.text = offer.words
      action.setAccessibleName(offer.words)
      bar.box.addStyle("offer")
    } else {
      if action.hasFocusWithin { giveBackFocus() }
      bar.box.removeStyle("offer")
    }
    action.isVisible = offer != nil
    bar.show(notices.map(\.text).joined(separator: "\n"))
  }

  private func hide() {
    bar.hide()
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
      guard let time = time(notice.lifetime) else { continue }
      notice.timer = Timeout(after: time) { [weak self, weak notice] in
        if let notice { self?.end(notice) }
      }
    }
    guard notices.contains(where: { !$0.isAnnounced }) else { return }
    bar.announce { [weak self] in
      let new = self?.notices.filter { !$0.isAnnounced } ?? []
      for notice in new { notice.isAnnounced = true }
      return new.isEmpty ? nil : new.map(\.text).joined(separator: " ")
    }
  }
}
