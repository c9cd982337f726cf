import ClipboardCore
import SerialQueue

/// A combination of keys that arrives whichever window has the focus, through an X connection of its own.
///
/// ```swift
/// let grab = try KeyGrab(display: nil, pressed: { time in print("pressed at", time) }, changed: { print("now", $0) })
/// let state = await grab.grab(KeyCombination(keysym: 0x76, modifiers: [.control, .logo]))
/// ```
///
/// Keys that are typed right behind the combination go to the window that the press brings: the server keeps them back
/// until the window manager has made another window the active one, for half a second at most.
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

  /// How long keys are kept back at most: if this program hangs, the keyboard must not.
  private static let longestKeeping = Duration.milliseconds(500)

  private let connection: XConnection
  private let queue = SerialQueue(label: "org.copypasta.key-grab")
  private var readSource: XConnection.ReadSource?
  private var wanted: KeyCombination?
  /// The strokes that the server has granted.
  private var held: Set<Keyboard.Stroke> = []
  private var lastRelease: Event.Key?
  private var activeWindow: Atom?
  /// Runs while the server keeps back what is typed behind a press.
  private var keeping: DispatchTimer?
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
  ///   - pressed: Called on the grab's queue once for each press, however long it lasts, with the server's time in
  ///     milliseconds.
  ///   - changed: Called there when the state becomes another one by itself: the keyboard has changed, or the server
  ///     has gone.
  /// - Throws: `cannotConnect` if no server answers.
  public init(
    display: String?, pressed: @escaping @Sendable (UInt32) -> Void,
    changed: @escaping @Sendable (State) -> Void
  ) throws(X11Error) {
    let connection = try XConnection(display: display)
    self.pressed = pressed
    self.changed = changed
    self.connection = connection
    let source = XConnection.ReadSource(connection, queue: queue.dispatchQueue)
    readSource = source
    source.start { [weak self] in self?.assumeIsolated { $0.handleEvents() } }
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
      case .keyPressed(let key):
        keepKeys()
        // A key that is held down repeats as a release and a press of the same time.
        if key != lastRelease { pressed(key.time) }
      case .keyReleased(let key): lastRelease = key
      case .propertySet(connection.root, activeWindow, at: _): letKeysGoOn()
      case .keyboardChanged: keyboardChanged()
      default: break
      }
    }
    if connection.isLost { connectionLost() }
    if isMore { readSource?.callAgain() }
  }

  /// Keeps back what is typed next until the window that a press brings is there; call it before telling of the press.
  private func keepKeys() {
    connection.select(.properties, on: connection.root)
    connection.flush()
    keeping = DispatchTimer(after: Self.longestKeeping, on: queue) { [weak self] in
      self?.assumeIsolated { $0.letKeysGoOn() }
    }
  }

  private func letKeysGoOn() {
    guard keeping != nil else { return }
    keeping = nil
    connection.select(.none, on: connection.root)
    connection.letKeysGoOn()
  }

  /// The layout, or the modifiers, are others than before: the same keys may lie elsewhere.
  private func keyboardChanged() {
    let before = state
    grabAnew()
    if state != before { changed(state) }
  }

  private func connectionLost() {
    guard state != .connectionLost else { return }
    // The socket of a lost connection would be readable for ever.
    readSource = nil
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
    var strokes: Set<Keyboard.Stroke> = []
    if let wanted { strokes = try Keyboard(connection)?.strokes(for: wanted) ?? [] }
    // The server also tells of changes that change nothing, such as another keyboard's first key: giving the keys
    // back for a moment would lose that key.
    if !strokes.isEmpty && strokes == held { return .held }
    connection.ungrabKeys()
    held = []
    if activeWindow == nil { activeWindow = try Atoms(connection)[.activeWindow] }
    guard wanted != nil else {
      connection.flush()
      return .released
    }
    guard !strokes.isEmpty else { return .missing }
    guard try connection.grab(strokes) else { return .taken }
    held = strokes
    return .held
  }
}
