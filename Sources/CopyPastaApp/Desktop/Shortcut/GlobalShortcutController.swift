import GtkKit
import SerialQueue

/// Keeps the shortcut that the user has set, by the first backend that gives it.
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
  /// A way in which keys that are pressed in any program reach this one.
  ///
  /// ```swift
  /// let token = shortcut.observers.add { event in print(event) }
  /// let state = await shortcut.start(keys)   // held, or not held and why
  /// ```
  @MainActor
  protocol Backend: AnyObject {
    /// Asks for keys, and returns the outcome: `.held` or `.notHeld`.
    ///
    /// To be called again only after `stop`. Cancelling the task gives up.
    func start(_ keys: Accelerator) async -> ShortcutState

    /// Gives back the keys, if it has any.
    func stop() async

    /// Forgets that the user refused the shortcut: now they want it.
    func forgetRefusal()

    /// Told of each press, and of a state that becomes another one by itself.
    var observers: Observers<BackendEvent> { get }
  }

  /// Something that a backend tells.
  enum BackendEvent {
    /// The keys were pressed; the value gives the window the focus.
    case pressed(Activation)
    /// The state has become another one.
    case became(ShortcutState)
  }

  /// Whether the user's shortcut works, and by which backend.
  private(set) var state = ShortcutState.off {
    didSet { if state != oldValue { changes.notify() } }
  }

  private let preferences: Preferences
  private let backends: [any GlobalShortcutController.Backend]
  /// Told when the state has become another one.
  let changes = Observers<Void>()
  /// Told of each press, with what gives the window the focus.
  let presses = Observers<Activation>()
  private var tokens: [ListenerToken] = []
  private var holder: (any GlobalShortcutController.Backend)?
  private var work: Task<Void, Never>?

  /// - Parameter backends: the best one first.
  init(_ preferences: Preferences, backends: [any GlobalShortcutController.Backend]) {
    self.preferences = preferences
    self.backends = backends
    tokens = backends.map { backend in
      backend.observers.add(weakly(self) { $0.handle($1, from: backend) })
    }
  }

  /// Asks for the shortcut, and for another one whenever the user sets one.
  func start() {
    tokens.append(preferences.observe(.shortcut, weakly(self) { $0.restart() }))
    restart()
  }

  /// Returns once the outcome of the last request is known.
  func awaitOutcome() async { await work?.value }

  /// Whether the shortcut is given back for a while: pressing it then does what pressing any keys does.
  ///
  /// For the time in which the user chooses another one.
  var isPaused = false {
    didSet { if isPaused != oldValue { restart() } }
  }

  /// Asks anew, even if the user has refused before: now they have chosen these keys.
  func askAgain() {
    for backend in backends { backend.forgetRefusal() }
    restart()
  }

  /// Asks anew.
  private func restart() {
    let before = work
    before?.cancel()
    work = Task.unpooled { [weak self] in
      await before?.value
      await self?.setUp()
    }
  }

  // MARK: - GNOME's settings

  /// A choice of the user's about GNOME's own custom shortcut.
  enum GnomeChoice {
    /// Add it, for there is no other way.
    case add
    /// Take it out again.
    case remove
  }

  /// The choice to offer; nil if there is none.
  var gnomeChoice: GnomeChoice? {
    guard let gnome else { return nil }
    if gnome.isSet { return .remove }
    return state.command != nil && Accelerator(preferences.shortcut) != nil ? .add : nil
  }

  /// Does what the user has chosen.
  ///
  /// - Returns: what to say if GNOME's settings do not take it; nil if they do.
  func choose(_ choice: GnomeChoice) -> String? {
    guard let gnome, let keys = Accelerator(preferences.shortcut) else { return nil }
    let isDone =
      switch choice {
      case .add: gnome.install(keys)
      case .remove: gnome.remove()
      }
    guard isDone else {
      return tr("GNOME’s settings could not be changed. The system administrator may have locked them.")
    }
    restart()
    return nil
  }

  /// What the empty history says of the shortcut, with the command to bind if there is no easier way.
  var advice: (words: String, command: String?) {
    guard gnomeChoice == .add, let keys = Accelerator(preferences.shortcut)?.label else {
      return (state.message, state.command)
    }
    // One click there does what the command would take many for.
    let words = tr("To show the history by %s from any program, press “Set Up” in Preferences.")
    return (words.filled(with: keys), nil)
  }

  private var gnome: GnomeShortcut? { backends.lazy.compactMap { $0 as? GnomeShortcut }.first }

  // MARK: - One backend after the other

  private func setUp() async {
    holder = nil
    for backend in backends { await backend.stop() }
    guard !Task.isCancelled else { return }
    // The shortcut is asked for again once the pause is over.
    guard !isPaused else { return state = .starting }
    guard !preferences.shortcut.isEmpty else { return state = .off }
    guard let keys = Accelerator(preferences.shortcut) else { return state = .notHeld(.malformed) }
    // Another program may have written the setting: Preferences takes no such keys.
    if let objection = keys.objection { return state = .notHeld(.unsuitable(objection)) }
    state = .starting
    let state = await firstSuccess(for: keys)
    if !Task.isCancelled { self.state = state }
  }

  /// Tries one backend after the other.
  ///
  /// - Returns: if none gives the shortcut, the reason that says most.
  private func firstSuccess(for keys: Accelerator) async -> ShortcutState {
    var reason: ShortcutState.Reason?
    for backend in backends where !Task.isCancelled {
      let state = await backend.start(keys)
      switch state {
      case .notHeld(.unsupported): continue
      // If the keys are taken, other keys are the answer, not another way to these; the backend notices when they
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
      // Any backend may tell that it has not got the shortcut: GNOME's does with each change of its settings.
      if holder == nil, state.isPromising { holder = backend }
      guard holder === backend else { return }
      if !state.isPromising { holder = nil }
      self.state = state
    }
  }
}

extension GlobalShortcutController.Backend {
  /// Does nothing: most backends ask nobody.
  func forgetRefusal() {}
}
