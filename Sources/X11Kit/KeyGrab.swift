import ClipboardCore
import SerialQueue

/// A grab of a global key combination, which is reported whichever window has the focus.
///
/// The grab uses its own X connection.
///
/// ```swift
/// let grab = try KeyGrab(display: nil, pressed: { time in print("pressed at", time) }, changed: { print("now", $0) })
/// let state = await grab.grab(KeyCombination(keysym: 0x76, modifiers: [.control, .logo]))
/// ```
///
/// Each press freezes the keyboard until the X focus has moved, for at most `longestFreeze`. Keys typed immediately
/// after the combination therefore go to the window that has the focus after the press.
///
/// The grab works with NumLock and CapsLock on, and in every keyboard layout. When the keyboard mapping changes, the
/// combination is grabbed again. If another program has grabbed it, `KeyGrab` tries again only after such a change.
///
/// Under Xwayland the server grants the grab, but reports no press while a Wayland window has the focus.
public actor KeyGrab {
  /// The state of the requested combination.
  public enum State: Sendable, Equatable {
    /// No combination is requested.
    case released
    /// The combination is grabbed, so each press is reported, whichever window has the focus.
    case held
    /// Another program has grabbed the combination.
    case taken
    /// The keyboard lacks the key or a modifier.
    case missing
    /// The X server has exited or closed the connection.
    case connectionLost
  }

  /// The longest time that a press freezes the keyboard, even if the main thread hangs.
  private let longestFreeze: Duration
  /// The longest time to wait after a press, to find out whether the window manager moves the focus at all.
  private static let longestArrival = Duration.seconds(2)
  /// The longest time to wait after a press for another window to receive the focus that our window has lost.
  private static let longestGap = Duration.milliseconds(100)

  /// A press that is not completed yet.
  private struct Press {
    let key: Event.Key
    let start: SuspendingClock.Instant
    /// The window that had the focus; nil if the focus followed the pointer.
    let focus: Window?
    /// Whether the keyboard is frozen, so that the server queues what is typed.
    var isFrozen: Bool
    /// Whether the key may still be held down and repeating.
    ///
    /// Query the key's state, because the event of its release goes to the newly focused window.
    var isDown: Bool
    var wasSeenDown = false
    /// Whether the focus has moved to this program's windows, or away from them.
    var hasArrived = false
  }

  private let connection: XConnection
  private let queue = SerialQueue(label: "org.copypasta.key-grab")
  private var wanted: KeyCombination?
  private var held: Set<Keyboard.Stroke> = []
  private var lastRelease: Event.Key?
  private let ownWindow: Window?
  private var press: Press?
  private var timer: DispatchTimer?
  /// Whether the focus did not move after the last press; if so, the next press does not freeze the keyboard.
  private(set) var getsNoFocus = false
  /// Whether the keyboard is frozen, so that the server queues what is typed.
  var isFreezing: Bool { press?.isFrozen == true }
  private let pressed: @Sendable (UInt32) -> Void
  private let changed: @Sendable (State) -> Void

  /// The state of the combination that was requested last.
  public private(set) var state = State.released

  /// Grabbing blocks until the server answers, so grabs run on a thread of their own.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// Connects to `display`, such as `:0`; nil stands for the variable `DISPLAY`.
  ///
  /// The call blocks until the server answers.
  ///
  /// - Parameters:
  ///   - ownWindow: Any window of the X client that shows or hides its windows at a press; the freeze ends when the focus
  ///     moves from or to that client. Nil if presses never freeze the keyboard.
  ///   - longestFreeze: The longest time that a press freezes the keyboard.
  ///   - pressed: Called on the grab's queue once for each press, even if the key repeats, with the server's time in
  ///     milliseconds.
  ///   - changed: Called on the grab's queue when the state changes because of the keyboard mapping or a lost server.
  /// - Throws: `cannotConnect` if no server answers, `connectionLost` if the process is out of file descriptors.
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

  /// Grabs a combination in place of the previous combination.
  ///
  /// - Returns: the new state.
  @discardableResult
  public func grab(_ keys: KeyCombination) -> State {
    wanted = keys
    grabAnew()
    handleEvents()
    return state
  }

  /// Releases the combination.
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
    // Ignore other keys, which the server also sends here while the key is down, and repetitions, which are a release
    // and a press with the same time.
    guard held.contains(where: { $0.code == key.code }), key != lastRelease, press?.isDown != true
    else { return }
    // Freeze first, because keys typed before the freeze go to the currently focused window.
    let freezes = ownWindow != nil && !getsNoFocus
    if freezes { connection.freezeKeys(since: key.time) }
    if ownWindow != nil {
      let start = SuspendingClock.now
      // If the server does not answer, assume that no window has the focus. A move away from our windows is then not
      // detected, and the keyboard is thawed after `longestFreeze`.
      let focus = answer { connection throws(TransferError) in try connection.focus(deadline) } ?? noWindow
      press = Press(key: key, start: start, focus: focus, isFrozen: freezes, isDown: freezes)
      if isOwn(focus) { getsNoFocus = false }
      callLater()
    }
    pressed(key.time)
  }

  // MARK: - Focus after a press

  /// Checks the focus, thaws the keyboard once the focus has moved or after `longestFreeze`, and then waits for the
  /// key's release.
  ///
  /// The focus is queried rather than observed, because focus events are selected for one window, and the window
  /// manager may focus any of ours.
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
    // The requests above may have read events from the socket.
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

  /// Detects the key's release, after which a press of the key is no longer a repetition.
  private func lookForRelease(of key: Event.Key) {
    let isDown = answer { connection throws(TransferError) in
      try connection.isDown(key.code, deadline)
    }
    // A key that was seen down may have repeated before its release, so handle the repetitions first. A key that is up
    // at the first check was released while the keyboard was frozen, so a pending press of it counts as a new press.
    if press?.wasSeenDown == true { handleEvents() }
    press?.wasSeenDown = true
    if isDown == false { press?.isDown = false }
  }

  /// The deadline for a request, because the server does not answer while another program has grabbed the server.
  private var deadline: Deadline { .after(longestFreeze) }

  /// Returns the server's answer; nil if the request fails or times out.
  private func answer<Value>(_ ask: (XConnection) throws(TransferError) -> Value) -> Value? {
    do throws(TransferError) { return try ask(connection) } catch { return nil }
  }

  /// Grabs the combination again after a change of layout or modifiers, because the keys may have moved.
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
    // The server also reports mapping changes that have no effect here, for example at the first key press on a second
    // keyboard. Releasing the grab for a moment would lose that key press.
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

  /// Whether the window manager receives all keys pressed with Super; the server then grants a grab of them, but
  /// reports no press.
  ///
  /// icewm grabs the Super keys for this purpose, unless its setting `Win95Keys` is off. Other programs also grab the
  /// Super keys, but replay the keys that follow. A failed grab is therefore not sufficient evidence, so this also
  /// checks that the window manager's name is IceWM.
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
