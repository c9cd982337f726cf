import GtkKit
import SerialQueue

/// Registers the user's shortcut with the first backend that grants it.
///
/// ```swift
/// let controller = GlobalShortcutController(preferences, backends: [grab, portal])
/// tokens = [
///   controller.presses.add { toggler.toggle($0) },
///   controller.changes.add { label.text = controller.state.message },
/// ]
/// controller.start()
/// ```
@MainActor
final class GlobalShortcutController {
  /// A mechanism that reports presses of the shortcut in any program.
  ///
  /// ```swift
  /// let token = shortcut.observers.add { event in print(event) }
  /// let state = await shortcut.start(keys)   // held, or not held and why
  /// ```
  @MainActor
  protocol Backend: AnyObject {
    /// Requests keys, and returns the outcome: `.held` or `.notHeld`, or `.off` after a cancellation.
    ///
    /// Call `stop` before calling this again. Cancelling the task cancels the request.
    func start(_ keys: Accelerator) async -> ShortcutState

    /// Releases the keys, if it holds any.
    func stop() async

    /// Forgets that the user refused the shortcut; called when the user chooses it again.
    func forgetRefusal()

    /// Opens the desktop's own dialog for the keys, and returns whether that succeeded; nil if there is none.
    var openSettings: (@MainActor () async -> Bool)? { get }

    /// Notified of each press, and of each change of the state after `start` has returned.
    var observers: Observers<BackendEvent> { get }
  }

  enum BackendEvent {
    /// The keys were pressed; the activation lets the window take the focus.
    case pressed(Activation)
    case became(ShortcutState)
  }

  /// Whether the user's shortcut works, and through which backend.
  private(set) var state = ShortcutState.off {
    didSet { if state != oldValue { changes.notify() } }
  }

  private let preferences: Preferences
  private let backends: [any GlobalShortcutController.Backend]
  let changes = Observers<Void>()
  /// Notified of each press, with the activation that lets the window take the focus.
  let presses = Observers<Activation>()
  private var tokens: [ListenerToken] = []
  private var holder: (any GlobalShortcutController.Backend)?
  private var work: Task<Void, Never>?

  /// - Parameter backends: The backends to try, in order of preference.
  init(_ preferences: Preferences, backends: [any GlobalShortcutController.Backend]) {
    self.preferences = preferences
    self.backends = backends
    tokens = backends.map { backend in
      backend.observers.add(weakly(self) { $0.handle($1, from: backend) })
    }
  }

  /// Requests the shortcut, and requests it again whenever the setting changes.
  func start() {
    tokens.append(preferences.observe(.shortcut, weakly(self) { $0.follow() }))
    restart()
  }

  /// Releases the shortcut permanently, because the program ends.
  func release() async {
    tokens = []
    work?.cancel()
    await work?.value
    for backend in backends { await backend.stop() }
  }

  /// Waits until the outcome of the last request is known.
  func awaitOutcome() async { await work?.value }

  /// Whether the shortcut is temporarily disabled, so that the user can choose the same keys again by pressing them.
  var isPaused = false {
    didSet { if isPaused != oldValue { restart() } }
  }

  /// Requests the shortcut again, even if the user refused it before; call this when the user chooses the same keys
  /// again.
  func askAgain() {
    for backend in backends { backend.forgetRefusal() }
    follow()
  }

  /// Opens the desktop's own dialog for the keys, and returns whether that succeeded; nil if there is none.
  var openSettings: (@MainActor () async -> Bool)? { backends.lazy.compactMap(\.openSettings).first }

  /// Follows the user's choice of keys.
  private func follow() {
    gnome?.follow(preferences.shortcut)
    restart()
  }

  private func restart() {
    let before = work
    before?.cancel()
    work = Task.unpooled { [weak self] in
      await before?.value
      await self?.setUp()
    }
  }

  // MARK: - GNOME's settings

  /// A change to GNOME's custom shortcut that Preferences offers to the user.
  enum GnomeChoice {
    /// Add the shortcut, because no backend grants one.
    case add
    case remove
  }

  var gnomeChoice: GnomeChoice? {
    guard let gnome else { return nil }
    // Offer to add the shortcut also if it is in GNOME's list, but without keys.
    if state.command != nil, Accelerator(preferences.shortcut) != nil { return .add }
    return gnome.isSet ? .remove : nil
  }

  /// Makes the change that the user has chosen.
  ///
  /// - Returns: An error message if GNOME's settings could not be changed; nil otherwise.
  func choose(_ choice: GnomeChoice) -> String? {
    guard let gnome else { return nil }
    let isDone: Bool
    switch choice {
    case .add:
      guard let keys = Accelerator(preferences.shortcut) else { return nil }
      isDone = gnome.install(keys)
    case .remove: isDone = gnome.remove()
    }
    guard isDone else {
      return tr("Couldn’t change GNOME Settings. Your administrator may have locked them.")
    }
    restart()
    return nil
  }

  /// The empty page's text about the shortcut; if the user has to bind a command to keys, also that command.
  var advice: (words: String, command: String?) {
    guard gnomeChoice == .add, let keys = Accelerator(preferences.shortcut)?.label else {
      return (state.message, state.command)
    }
    // Suggest GNOME's settings: one click is easier than binding the command manually.
    let words = tr("To show the history with %s in any app, choose Set Up in Preferences.")
    return (words.filled(with: keys), nil)
  }

  private var gnome: GnomeShortcut? { backends.lazy.compactMap { $0 as? GnomeShortcut }.first }

  // MARK: - One backend after the other

  private func setUp() async {
    holder = nil
    for backend in backends { await backend.stop() }
    guard !Task.isCancelled else { return }
    // The end of the pause calls `restart`.
    guard !isPaused else { return state = .starting }
    guard let keys = Accelerator(preferences.shortcut), keys.objection == nil else {
      state = stateWithoutKeys ?? .off
      // GNOME's shortcut works whatever the setting contains.
      if let gnome { handle(.became(gnome.watch()), from: gnome) }
      return
    }
    state = .starting
    let state = await firstSuccess(for: keys)
    if !Task.isCancelled { self.state = state }
  }

  /// The state if the setting contains no suitable keys; nil if it does.
  private var stateWithoutKeys: ShortcutState? {
    guard !preferences.shortcut.isEmpty else { return .off }
    guard let keys = Accelerator(preferences.shortcut) else { return .notHeld(.malformed) }
    // Check again, although Preferences rejects such keys, because another program may have written the setting.
    return keys.objection.map { .notHeld(.unsuitable($0)) }
  }

  /// Tries one backend after the other.
  ///
  /// - Returns: The state of the first backend that grants the keys or finds them taken. Otherwise the first reason
  ///   that is more specific than `unsupported`.
  private func firstSuccess(for keys: Accelerator) async -> ShortcutState {
    var reason: ShortcutState.Reason?
    for backend in backends where !Task.isCancelled {
      let state = await backend.start(keys)
      switch state {
      case .notHeld(.unsupported): continue
      // Stop if the keys are taken, because the user has to choose other keys. The backend notices when the keys
      // become free.
      case .notHeld(.taken), .held, .starting, .off:
        holder = backend
        return state
      case .notHeld(let why): reason = reason ?? why
      }
    }
    return .notHeld(reason ?? .unsupported)
  }

  private func handle(_ event: BackendEvent, from backend: any GlobalShortcutController.Backend) {
    switch event {
    case .pressed(let activation): presses.notify(activation)
    case .became(let state):
      // Ignore a backend that does not have the shortcut: GNOME's backend reports its state whenever GNOME's settings
      // change.
      if holder == nil, state.isPromising { holder = backend }
      guard holder === backend else { return }
      if !state.isPromising { holder = nil }
      self.state = state.isPromising ? state : stateWithoutKeys ?? state
    }
  }
}

extension GlobalShortcutController.Backend {
  /// Nil, because most backends use the keys of the setting.
  var openSettings: (@MainActor () async -> Bool)? { nil }

  /// Does nothing, because most backends do not ask the user.
  func forgetRefusal() {}
}
