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

    /// Notified of each press, and of each change of the state after `start` has returned.
    var observers: Observers<BackendEvent> { get }
  }

  enum BackendEvent {
    /// The keys were pressed; the activation lets the window take the focus.
    case pressed(Activation)
    case became(ShortcutState)
    /// The backend has lost the keys, and may get them again.
    case lost
  }

  /// Whether the user's shortcut works, and through which backend.
  private(set) var state = ShortcutState.off {
    didSet { if state != oldValue { changes.notify() } }
  }

  /// GNOME's custom shortcut, which is used if the user has set it up; nil on other desktops.
  let gnome: GnomeShortcut?
  private let preferences: Preferences
  private var backends: [any Backend]
  let changes = Observers<Void>()
  /// Notified of each press, with the activation that lets the window take the focus.
  let presses = Observers<Activation>()
  private var tokens: [ListenerToken] = []
  private var holder: (any Backend)?
  /// The setting that was requested last.
  private var requested: String?
  private var work: Task<Void, Never>?

  /// - Parameter backends: The backends to try, in order of preference.
  init(_ preferences: Preferences, backends: [any Backend], gnome: GnomeShortcut? = nil) {
    self.preferences = preferences
    self.backends = backends
    self.gnome = gnome
    tokens = backends.map { backend in
      backend.observers.add(weakly(self) { $0.handle($1, from: backend) })
    }
  }

  /// Requests the shortcut, and requests it again whenever the setting or GNOME's shortcut changes.
  func start() {
    tokens.append(preferences.observe(.shortcut, weakly(self) { $0.settingChanged() }))
    if let gnome { tokens.append(gnome.changes.add(weakly(self) { $0.gnomeChanged() })) }
    request()
  }

  /// Waits until the outcome of the last request is known.
  func awaitOutcome() async { await work?.value }

  /// Releases the keys for another instance of the program; no press is reported from now on.
  func release() async {
    let released = backends
    (tokens, backends) = ([], [])
    work?.cancel()
    await work?.value
    for backend in released { await backend.stop() }
  }

  /// Whether the shortcut is temporarily disabled, so that the user can choose the same keys again by pressing them.
  var isPaused = false {
    didSet { if isPaused != oldValue { request() } }
  }

  func request() {
    requested = preferences.shortcut
    let before = work
    before?.cancel()
    work = Task.unpooled { [weak self] in
      await before?.value
      await self?.setUp()
    }
  }

  private func settingChanged() {
    if preferences.shortcut != requested { request() }
  }

  private func gnomeChanged() {
    let held: String? = if case .held(by: .gnome, let name) = state { name } else { nil }
    if gnome?.keys?.label != held { request() }
    changes.notify()
  }

  private func setUp() async {
    holder = nil
    for backend in backends { await backend.stop() }
    guard !Task.isCancelled else { return }
    // The end of the pause requests the shortcut again.
    guard !isPaused else { return state = .starting }
    // GNOME's shortcut works whatever the setting contains, and its keys appear taken to every backend.
    if let keys = gnome?.keys { return state = .held(by: .gnome, name: keys.label) }
    guard let requested, !requested.isEmpty else { return state = .off }
    // Preferences rejects such keys, but another program may have written the setting.
    guard let keys = Accelerator(requested) else { return state = .notHeld(.missing(requested)) }
    guard keys.objection == nil else { return state = .notHeld(.taken(keys.label)) }
    state = .starting
    let outcome = await firstSuccess(for: keys)
    guard !Task.isCancelled else { return }
    if outcome == .notHeld(.refused) {
      // Do not ask again at the next start.
      self.requested = ""
      preferences.shortcut = ""
    }
    state = outcome
  }

  /// Tries one backend after the other, until one supports the keys.
  ///
  /// Stops if the keys are taken, because the user has to choose other keys. The key grab tries again when the keyboard
  /// mapping changes.
  private func firstSuccess(for keys: Accelerator) async -> ShortcutState {
    for backend in backends where !Task.isCancelled {
      let state = await backend.start(keys)
      if state != .notHeld(.unsupported) {
        holder = backend
        return state
      }
    }
    return .notHeld(.unsupported)
  }

  private func handle(_ event: BackendEvent, from backend: any Backend) {
    switch event {
    case .pressed(let activation): presses.notify(activation)
    // Any backend may get the keys while none has them.
    case .became(let state) where holder == nil || holder === backend:
      holder = state == .notHeld(.unsupported) ? nil : backend
      self.state = state
    case .lost where holder == nil || holder === backend: request()
    case .became, .lost: break
    }
  }
}
