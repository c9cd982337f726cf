import ClipboardCore
import SerialQueue

/// A combination of keys that arrives whichever window has the focus, through an X connection of its own.
///
/// ```swift
/// let grab = try KeyGrab(display: nil, pressed: { time in print("pressed at", time) }, changed: { print("now", $0) })
/// let state = await grab.grab(KeyCombination(keysym: 0x76, modifiers: [.control, .logo]))
/// ```
///
/// Keys that are typed right behind the combination go to the window that the press shows, or to the one that has the
/// focus once the press has hidden it: each press freezes the keyboard until the X focus has moved, for half a second
/// at most.
///
/// The grab holds with NumLock and CapsLock on, and in every layout of the keyboard. When the keyboard changes, the
/// combination is asked for anew; if another program has it, it is not asked for again before.
///
/// Under Xwayland the server grants the grab, and tells of no press while a Wayland window has the focus.
public actor KeyGrab {
  /// The state of a combination of keys that was asked for.
  public enum State: Sendable, Equatable {
    /// No combination was asked for.
    case released
    /// The combination is ours: each press arrives, whichever window has the focus.
    case held
    /// Another program has it.
    case taken
    /// The keyboard has no such key, or no such modifier.
    case missing
    /// The X server has ended, or has closed the connection.
    case connectionLost
  }

  /// How long a press freezes the keyboard at most: if this program hangs, the keyboard must not.
  private let longestFreeze: Duration
  /// How long the focus may take to show that the window manager gives it after all.
  private static let longestArrival = Duration.seconds(2)
  /// How long the focus may be nowhere after our window has lost it, before the window manager chooses the next one.
  private static let longestGap = Duration.milliseconds(100)

  /// What is still to come of a press.
  private struct Press {
    let key: Event.Key
    let start: SuspendingClock.Instant
    /// The window that had the focus; nil if that was whichever the pointer was in.
    let focus: Window?
    /// Whether the server keeps back what is typed.
    var isFrozen: Bool
    /// Whether the key may be down since, and repeat.
    ///
    /// Its release goes to the window that has the focus by then.
    var isDown: Bool
    var wasSeenDown = false
    /// Whether the focus has moved to the program, or away from it.
    var hasArrived = false
  }

  private let connection: XConnection
  private let queue = SerialQueue(label: "org.copypasta.key-grab")
  private var wanted: KeyCombination?
  /// The strokes that the server has granted.
  private var held: Set<Keyboard.Stroke> = []
  private var lastRelease: Event.Key?
  private let ownWindow: Window?
  private var press: Press?
  private var timer: DispatchTimer?
  /// Whether the last press froze the keyboard in vain, because the focus did not come.
  private(set) var getsNoFocus = false
  /// Whether the server keeps back what is typed.
  var isFreezing: Bool { press?.isFrozen == true }
  private let pressed: @Sendable (UInt32) -> Void
  private let changed: @Sendable (State) -> Void

  /// The state of the combination that was asked for last.
  public private(set) var state = State.released

  /// Grabbing waits for the server, so grabs have a thread of their own.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// Connects to `display` (such as `:0`), or to the one that the variable `DISPLAY` names.
  ///
  /// The call waits for the server.
  /// - Parameters:
  ///   - ownWindow: Any window of the connection whose windows a press shows and hides; nil freezes no key.
  ///   - longestFreeze: How long a press freezes the keyboard at most.
  ///   - pressed: Called on the grab's queue once for each press, however long it lasts, with the server's time in
  ///     milliseconds.
  ///   - changed: Called there when the state becomes another one by itself: the keyboard has changed, or the server
  ///     has gone.
  /// - Throws: `cannotConnect` if no server answers.
  public init(
    display: String?, ownWindow: UInt32? = nil, longestFreeze: Duration = .milliseconds(500),
    pressed: @escaping @Sendable (UInt32) -> Void,
    changed: @escaping @Sendable (State) -> Void
  ) throws(X11Error) {
    let connection = try XConnection(display: display)
    self.ownWindow = ownWindow
    self.longestFreeze = longestFreeze
    self.pressed = pressed
    self.changed = changed
    self.connection = connection
    try connection.callAtOnce(on: queue.dispatchQueue) { [weak self] in
      guard let self else { return false }
      return assumeIsolated { grab in
        grab.handleEvents()
        return grab.state != .connectionLost
      }
    }
  }

  /// Asks for a combination in place of the one before.
  ///
  /// - Returns: what became of it.
  @discardableResult
  public func grab(_ keys: KeyCombination) -> State {
    wanted = keys
    grabAnew()
    handleEvents()
    return state
  }

  /// Gives the combination back.
  public func release() {
    wanted = nil
    grabAnew()
    handleEvents()
  }

  // MARK: - Events

  private func handleEvents() {
    let isMore = connection.handleTurn { event in
      switch event {
      case .keyPressed(let key): keyPressed(key)
      case .keyReleased(let key): lastRelease = key
      case .keyboardChanged: keyboardChanged()
      default: break
      }
    }
    if connection.isLost { connectionLost() }
    if isMore {
      queue.dispatchQueue.async { [weak self] in self?.assumeIsolated { $0.handleEvents() } }
    }
  }

  private func keyPressed(_ key: Event.Key) {
    // While the key is down, the server sends other keys here, too. A key that is held down repeats as a release and a
    // press of the same time.
    guard held.contains(where: { $0.code == key.code }), key != lastRelease, press?.isDown != true
    else { return }
    // Freeze before anything else: what comes before that goes to the window in front.
    let freezes = ownWindow != nil && !getsNoFocus
    if freezes { connection.freezeKeys(since: key.time) }
    if ownWindow != nil {
      let start = SuspendingClock.now
      // Without an answer of the server no focus is known to have moved: the keyboard thaws in time.
      let focus = answer { connection throws(TransferError) in try connection.focus(deadline) } ?? noWindow
      press = Press(key: key, start: start, focus: focus, isFrozen: freezes, isDown: freezes)
      if isOwn(focus) { getsNoFocus = false }
      callLater()
    }
    pressed(key.time)
  }

  // MARK: - The focus behind a press

  /// Looks where the focus is, thaws the keyboard when it is time, and then waits for the key to come up.
  ///
  /// The focus is asked for because its events come from single windows, and a window manager may choose any of ours.
  private func followPress() {
    guard var press else { return }
    let age = SuspendingClock.now - press.start
    if !press.hasArrived, hasMoved(press, age: age) {
      press.hasArrived = true
      getsNoFocus = false
    }
    if press.isFrozen, press.hasArrived || age >= longestFreeze {
      connection.thawKeys()
      press.isFrozen = false
      if !press.hasArrived { getsNoFocus = true }
    }
    self.press = press
    if !press.isFrozen, press.isDown { lookForRelease(of: press.key) }
    if connection.isLost { return connectionLost() }
    let isOver = self.press?.isFrozen == false && self.press?.isDown == false
    if isOver, press.hasArrived || age >= Self.longestArrival {
      self.press = nil
      timer = nil
    } else {
      callLater()
    }
    // Questions to the server may have read events.
    handleEvents()
  }

  private func callLater() {
    let delay = press?.isFrozen == true ? Duration.milliseconds(2) : .milliseconds(10)
    timer = DispatchTimer(after: delay, leeway: .zero, on: queue) { [weak self] in
      self?.assumeIsolated { $0.followPress() }
    }
  }

  private func hasMoved(_ press: Press, age: Duration) -> Bool {
    let focus = answer { connection throws(TransferError) in try connection.focus(deadline) }
    guard let focus, focus != press.focus else { return false }
    if isOwn(focus) { return true }
    guard isOwn(press.focus) else { return false }
    let isNowhere = focus == nil || focus == noWindow || focus == connection.root
    return !isNowhere || age >= Self.longestGap
  }

  private func isOwn(_ window: Window?) -> Bool {
    guard let window, let ownWindow, window != noWindow else { return false }
    return connection.client(of: window) == connection.client(of: ownWindow)
  }

  /// Ends the time in which a press of the key is only its repetition.
  private func lookForRelease(of key: Event.Key) {
    let isDown = answer { connection throws(TransferError) in
      try connection.isDown(key.code, deadline)
    }
    // A key that was seen down may have repeated before it came up. One that was pressed again while the keyboard was
    // frozen is up at the first look.
    if press?.wasSeenDown == true { handleEvents() }
    press?.wasSeenDown = true
    if isDown == false { press?.isDown = false }
  }

  /// How long a question may take: the server answers late while another program has grabbed it.
  private var deadline: Deadline { .endless.limited(to: longestFreeze) }

  /// The server's answer to a question; nil if there is none in time.
  private func answer<Value>(_ ask: (XConnection) throws(TransferError) -> Value) -> Value? {
    do throws(TransferError) { return try ask(connection) } catch { return nil }
  }

  /// The layout, or the modifiers, are others than before: the same keys may lie elsewhere.
  private func keyboardChanged() {
    let before = state
    grabAnew()
    if state != before { changed(state) }
  }

  private func connectionLost() {
    guard state != .connectionLost else { return }
    press = nil
    timer = nil
    state = .connectionLost
    changed(state)
  }

  // MARK: - Helpers

  private func grabAnew() {
    guard state != .connectionLost else { return }
    do {
      state = try grab()
    } catch {
      connectionLost()
    }
  }

  private func grab() throws(TransferError) -> State {
    guard let wanted else {
      giveBack()
      connection.flush()
      return .released
    }
    let keyboard = try Keyboard(connection)
    let strokes = keyboard?.strokes(for: wanted) ?? []
    // The server also tells of changes that change nothing, such as another keyboard's first key: giving the keys
    // back for a moment would lose that key.
    if !strokes.isEmpty && strokes == held { return .held }
    giveBack()
    guard let keyboard, !strokes.isEmpty else { return .missing }
    if wanted.modifiers.contains(.logo), try managerKeepsSuper(keyboard) { return .taken }
    guard try connection.grab(strokes) else { return .taken }
    held = strokes
    return .held
  }

  private func giveBack() {
    connection.ungrabKeys()
    held = []
  }

  /// Whether the window manager gets all that is typed while Super is down: the server grants a grab of such keys, and
  /// reports no press of them.
  ///
  /// icewm has grabbed the Super keys for that, unless its setting `Win95Keys` is off. Other programs grab them, too,
  /// and replay what follows, so the name has to be asked for.
  private func managerKeepsSuper(_ keyboard: Keyboard) throws(TransferError) -> Bool {
    let atoms = try Atoms(connection)
    let window: [Window]? = connection.elements(of: atoms[.windowManager], of: connection.root, limit: 1)
    guard let window = window?.first,
      let name: [UInt8] = connection.elements(of: atoms[.windowName], of: window, limit: 256),
      name.starts(with: "IceWM".utf8)
    else { return false }
    defer { connection.ungrabKeys() }
    return try !connection.grab(keyboard.logoStrokes)
  }
}
