import GtkKit

/// Keeps the shortcut that the user has set, by the first way that gives it.
///
/// ```swift
/// let keeper = ShortcutKeeper(preferences, ways: [grab, portal])
/// keeper.onActivated { popup.toggle($0) }
/// let observation = keeper.observe { label.text = keeper.state.message }
/// keeper.start()
/// ```
@MainActor
final class ShortcutKeeper {
  /// How it stands.
  private(set) var state = ShortcutState.off {
    didSet { if state != oldValue { observers.notify() } }
  }

  private let preferences: Preferences
  private let ways: [any GlobalShortcut]
  private let observers = Observers()
  private var preferenceObservation: Observation?
  private var holder: (any GlobalShortcut)?
  private var work: Task<Void, Never>?

  /// - Parameter ways: the best one first.
  init(_ preferences: Preferences, ways: [any GlobalShortcut]) {
    self.preferences = preferences
    self.ways = ways
    for way in ways {
      way.onChange { [weak self, weak way] state in
        if let way { self?.changed(way, to: state) }
      }
    }
  }

  /// Asks for the shortcut, and for another one whenever the user sets one.
  func start() {
    preferenceObservation = preferences.observe(.shortcut) { [weak self] in self?.restart() }
    restart()
  }

  /// Whether the shortcut is given back for a while: pressing it then does what pressing any keys does.
  ///
  /// For the time in which the user chooses another one.
  var isPaused = false {
    didSet { if isPaused != oldValue { restart() } }
  }

  /// Calls for each press, with what lets the window have the keyboard.
  func onActivated(_ body: @escaping @MainActor (Activation) -> Void) {
    for way in ways { way.onActivated(body) }
  }

  /// Calls when the state has become another one, for as long as the answer is kept.
  func observe(_ body: @escaping @MainActor () -> Void) -> Observation { observers.add(body) }

  /// Asks anew, also where the user has refused before: now they have chosen these keys.
  func askAgain() {
    for way in ways { way.forgetRefusal() }
    restart()
  }

  /// Asks anew.
  private func restart() {
    let before = work
    before?.cancel()
    work = Task { [weak self] in
      await before?.value
      await self?.setUp()
    }
  }

  // MARK: - GNOME's settings

  /// What the user may do about GNOME's own custom shortcut.
  enum GnomeChoice {
    /// Add it, for there is no other way.
    case add
    /// Take it out again.
    case remove
  }

  /// The choice to offer; nil where there is none.
  var gnomeChoice: GnomeChoice? {
    guard let gnome else { return nil }
    if gnome.isSet { return .remove }
    return state.command != nil && Accelerator(preferences.shortcut) != nil ? .add : nil
  }

  /// Does what the user has chosen.
  func choose(_ choice: GnomeChoice) {
    switch choice {
    case .add: if let keys = Accelerator(preferences.shortcut) { gnome?.install(keys) }
    case .remove: gnome?.remove()
    }
    restart()
  }

  private var gnome: GnomeShortcut? { ways.lazy.compactMap { $0 as? GnomeShortcut }.first }

  // MARK: - One way after the other

  private func setUp() async {
    holder = nil
    for way in ways { await way.stop() }
    guard !Task.isCancelled else { return }
    // Asked for again once the pause is over.
    guard !isPaused else { return state = .starting }
    guard !preferences.shortcut.isEmpty else { return state = .off }
    guard let keys = Accelerator(preferences.shortcut) else { return state = .notHeld(.malformed) }
    state = .starting
    let state = await firstSuccess(for: keys)
    if !Task.isCancelled { self.state = state }
  }

  /// Tries one way after the other; where none gives the shortcut, the answer is the reason that says most.
  private func firstSuccess(for keys: Accelerator) async -> ShortcutState {
    var reason: ShortcutState.Reason?
    for way in ways where !Task.isCancelled {
      let state = await way.start(keys)
      switch state {
      case .notHeld(.taken):
        // Other keys are the answer, not another way to these. The way stays: it notices when they become free.
        holder = way
        return state
      case .notHeld(.unsupported): continue
      case .notHeld(let why): reason = reason ?? why
      default:
        holder = way
        return state
      }
    }
    return .notHeld(reason ?? .unsupported)
  }

  private func changed(_ way: any GlobalShortcut, to state: ShortcutState) {
    // Any way may tell that it has not got the shortcut: GNOME's does with each change of its settings.
    if holder == nil, state.isPromising { holder = way }
    guard holder === way else { return }
    if !state.isPromising { holder = nil }
    self.state = state
  }
}
