import GtkKit

/// What the program says in a window.
///
/// A message with one button can also be closed; a message with two buttons is a question, which stays until the user
/// has answered it.
struct Message {
  struct Button {
    let words: String
    var isDestructive = false
    var isEnabled = true
    let run: @MainActor () -> Void
  }

  /// How long messages are shown, counted from when the window is active.
  enum Lifetime {
    /// An event; shown again, and announced again, each time it happens.
    case brief
    /// A state; once it was closed or its time has passed, it is shown again only after it was withdrawn.
    case long
    /// A state that the user must not miss.
    case untilClosed

    var time: Duration? {
      switch self {
      case .brief: .seconds(8)
      case .long: .seconds(60)
      case .untilClosed: nil
      }
    }
  }

  let words: String
  var lifetime = Lifetime.untilClosed
  /// At most two; the first one is harmless.
  var buttons: [Button] = []
  /// Whether a screen reader announces the words; otherwise, another announcement says the same.
  var isAnnounced = true
  /// Called when the user closes the message, after it was removed.
  var closed: @MainActor () -> Void = {}

  var isQuestion: Bool { buttons.count > 1 }
}

/// Shows messages below each other, in a card at the lower edge of what is under it.
@MainActor
final class MessageBar {
  /// What a message is about, in the order in which messages are shown; there is at most one message of each kind.
  enum Kind: Int, CaseIterable {
    case recovery, unread, obstacle, capture, refused, notice, expired, clear, undo
  }

  /// How long an announcement waits.
  ///
  /// During this pause, a screen reader announces a simultaneous change of the focus, which would otherwise interrupt
  /// the words.
  static let pause = Duration.milliseconds(300)

  private let overlay: Overlay
  private let time: @MainActor (Message.Lifetime) -> Duration?
  private let giveBackFocus: @MainActor () -> Void
  private let entered: @MainActor () -> Void
  private let covers: @MainActor (Int) -> Void
  private let column = Box(.vertical)
  /// The card, created with the first message, so that the first frame does not wait for it.
  private lazy var card = makeCard()
  private var rows: [Kind: Row] = [:]
  /// The words of the states that are not shown any more although they last.
  private var dismissed: [Kind: String] = [:]
  private var announcement: Timeout?

  /// - Parameters:
  ///   - time: Returns how long a message is shown; tests shorten it.
  ///   - giveBackFocus: Moves the focus back when a message disappears while one of its buttons has the focus.
  ///   - entered: Called when the pointer or the focus enters the card.
  ///   - covers: Called with the height that the card covers, in pixels; 0 if there is no message.
  init(
    over overlay: Overlay, time: @escaping @MainActor (Message.Lifetime) -> Duration? = { $0.time },
    giveBackFocus: @escaping @MainActor () -> Void, entered: @escaping @MainActor () -> Void = {},
    covers: @escaping @MainActor (Int) -> Void = { _ in }
  ) {
    (self.overlay, self.time) = (overlay, time)
    (self.giveBackFocus, self.entered, self.covers) = (giveBackFocus, entered, covers)
  }

  private func makeCard() -> Widget {
    let scrolled = ScrolledWindow(child: column)
    scrolled.setAccessibleName(tr("Messages"))
    scrolled.keepFocusInView()
    let card = ScrollingBox(scrolled)
    card.addStyle("messages")
    card.isVisible = false
    card.onArrival(entered)
    // Escape answers a question with its first button, which is harmless.
    card.onKeys(["Escape"]) { [weak self] in
      guard let row = self?.rows.values.first(where: { $0.box.hasFocusWithin && $0.message.isQuestion })
      else { return false }
      row.pressed(0)
      return true
    }
    overlay.add(card: card, width: 640, margin: 12, covers: covers)
    return card
  }

  /// Whether the window is active; only then are messages announced, and does their time begin.
  var isWindowActive = false {
    didSet { if isWindowActive { begin() } }
  }

  /// Keeps `isWindowActive` up to date.
  func follow(_ window: Window) {
    window.onActivityChange { [weak self, weak window] in
      self?.isWindowActive = window?.isShownAndActive == true
    }
  }

  /// The message of a kind that is shown.
  subscript(kind: Kind) -> Message? { rows[kind]?.message }

  /// Whether a message of another kind begins or ends with this sentence.
  func says(_ sentence: String, besides kind: Kind) -> Bool {
    rows.contains {
      let words = $0.value.message.words
      return $0.key != kind && (words.hasPrefix(sentence) || words.hasSuffix(sentence))
    }
  }

  /// Shows a message in place of the one of the same kind; nil removes that.
  func set(_ kind: Kind, _ message: Message?) {
    guard let message else {
      dismissed[kind] = nil
      return remove(kind)
    }
    guard dismissed[kind] != message.words else { return }
    dismissed[kind] = nil
    if let row = rows[kind], row.update(to: message) {
      begin()
      return
    }
    remove(kind, isReplaced: true)
    let row = Row(message) { [weak self] index in self?.pressed(index, in: kind) }
    let above = Kind.allCases.prefix(kind.rawValue).compactMap { rows[$0]?.box }.last
    column.insert(row.box, after: above)
    rows[kind] = row
    card.isVisible = true
    begin()
  }

  /// Moves the focus to the first button of a message.
  func focus(_ kind: Kind) { rows[kind]?.focus() }

  private func remove(_ kind: Kind, isReplaced: Bool = false) {
    guard let row = rows.removeValue(forKey: kind) else { return }
    if row.box.hasFocusWithin { giveBackFocus() }
    column.remove(row.box)
    if rows.isEmpty && !isReplaced { card.isVisible = false }
  }

  /// Removes a message, and runs its button's action; nil stands for *Close*.
  private func pressed(_ index: Int?, in kind: Kind) {
    guard let message = rows[kind]?.message else { return }
    if index == nil { dismiss(kind) } else { remove(kind) }
    if let index { message.buttons[index].run() } else { message.closed() }
  }

  private func dismiss(_ kind: Kind) {
    if let message = rows[kind]?.message, message.lifetime != .brief { dismissed[kind] = message.words }
    remove(kind)
  }

  /// Starts the time of new messages, and announces them.
  private func begin() {
    guard isWindowActive else { return }
    for (kind, row) in rows where row.timer == nil {
      row.timer = time(row.message.lifetime).map { Timeout(after: $0) { [weak self] in self?.dismiss(kind) } }
    }
    guard rows.values.contains(where: \.isNew) else { return }
    announcement = Timeout(after: Self.pause) { [weak self] in self?.announce() }
  }

  private func announce() {
    guard isWindowActive else { return }
    let new = Kind.allCases.compactMap { rows[$0] }.filter(\.isNew)
    for row in new { row.isNew = false }
    if !new.isEmpty { card.announce(new.map(\.message.words).joined(separator: " ")) }
  }
}

/// A message on the screen.
@MainActor
private final class Row {
  let box: Widget
  private(set) var message: Message
  /// Calls its parameter with the button's index; nil stands for *Close*.
  let pressed: @MainActor (Int?) -> Void
  private let label = Label()
  private let first: Button
  /// Ends the message; nil until the window is active.
  var timer: Timeout?
  /// Whether the message has to be announced.
  var isNew: Bool

  init(_ message: Message, pressed: @escaping @MainActor (Int?) -> Void) {
    (self.message, self.pressed, isNew) = (message, pressed, message.isAnnounced)
    label.wrap()
    label.preferOneLine()
    label.expand(horizontally: true)
    let close = Button(icon: "window-close-symbolic", name: tr("Close")) { pressed(nil) }
    close.addStyle("circular")
    let buttons = message.buttons.indices.map { index in
      let button = Button(words: message.buttons[index].words) { pressed(index) }
      if message.buttons[index].isDestructive { button.addStyle("destructive") }
      button.isEnabled = message.buttons[index].isEnabled
      return button
    }
    first = buttons.first ?? close
    for button in buttons + [close] {
      // Leave the focus in the list on a click.
      button.leaveFocusOnClick()
      button.align(vertically: .center)
    }
    box =
      switch buttons.count {
      case 0: Box(.horizontal, spacing: 6, [label, close])
      case 1: Box(.horizontal, spacing: 6, [ReflowingBox(label, buttons[0]), close])
      default: ReflowingBox(label, ReflowingBox(buttons[0], buttons[1]))
      }
    box.addStyle("message")
    box.setAccessibleRole(.group)
    show()
  }

  private func show() {
    label.text = message.words
    box.setAccessibleName(message.words)
  }

  /// Shows another message with the same buttons; returns false if the buttons differ.
  func update(to message: Message) -> Bool {
    func look(_ button: Message.Button) -> [String] { [button.words, button.isEnabled.description] }
    guard message.buttons.map(look) == self.message.buttons.map(look) else { return false }
    let isSame = message.words == self.message.words
    self.message = message
    guard !isSame || message.lifetime == .brief else { return true }
    (timer, isNew) = (nil, message.isAnnounced)
    show()
    return true
  }

  func focus() { first.grabFocus() }
}
