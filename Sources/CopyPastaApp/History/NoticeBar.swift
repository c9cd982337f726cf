import GtkKit

/// The bar at the window's lower edge that says what went wrong, also to a screen reader, and goes by itself.
@MainActor
final class NoticeBar {
  /// Something else that comes with a notice, such as another page that takes the focus, is said before: said later, it
  /// would cut the notice off.
  private static let pause = Duration.milliseconds(150)

  /// For how long a notice is shown.
  private enum Stay: CaseIterable {
    /// The notice is said only once: no later notice takes its place.
    case long
    /// Until the next one.
    case short

    var time: Duration { self == .long ? .seconds(60) : .seconds(8) }
  }

  let root: Revealer
  private let label = Label()
  private let giveBackFocus: @MainActor () -> Void
  private var notices: [Stay: (text: String, timer: Timeout)] = [:]
  /// The notices that a screen reader was not told yet.
  private var unsaid: Set<String> = []
  private var pauseTimer: Timeout?

  /// - Parameter giveBackFocus: moves the focus elsewhere, as the button that has it goes.
  init(giveBackFocus: @escaping @MainActor () -> Void) {
    self.giveBackFocus = giveBackFocus
    label.wrap()
    let words = ScrollingBox(label)
    words.expand(horizontally: true)
    let bar = Box(.horizontal, spacing: 12, [words])
    bar.addStyle("notice")
    root = Revealer(child: bar)
    let closeButton = Button(
      icon: "window-close-symbolic", name: tr("Close"), weakly(self) { $0.hide() })
    closeButton.align(vertically: .start)
    bar.append(closeButton)
  }

  /// Whether the user works in the window; what is shown before is said then.
  var canAnnounce = false {
    didSet { if canAnnounce { announce() } }
  }

  /// Shows a line, for some seconds, or `forLong` if it is said only once.
  func show(_ text: String, forLong: Bool = false) {
    let stay = forLong ? Stay.long : .short
    let timer = Timeout(after: stay.time, weakly(self) { $0.end(stay) })
    notices[stay] = (text, timer)
    unsaid.insert(text)
    draw()
    if canAnnounce { announce() }
  }

  private func end(_ stay: Stay) {
    notices[stay] = nil
    if notices.isEmpty { hide() } else { draw() }
  }

  private var texts: [String] { Stay.allCases.compactMap { notices[$0]?.text } }

  private func draw() {
    label.text = texts.joined(separator: "\n")
    root.isRevealed = true
  }

  private func hide() {
    if root.hasFocusWithin { giveBackFocus() }
    // The words stay while the bar slides out.
    root.isRevealed = false
    notices = [:]
  }

  private func announce() {
    guard !unsaid.isDisjoint(with: texts) else { return }
    pauseTimer = Timeout(after: Self.pause) { [weak self] in
      guard let self, canAnnounce else { return }
      let words = texts.filter(unsaid.contains).joined(separator: " ")
      unsaid = []
      if !words.isEmpty { root.announce(words) }
    }
  }
}
