import GtkKit
import SerialQueue

/// Keys that the desktop's portal gives (`org.freedesktop.portal.GlobalShortcuts`).
///
/// The keys asked for are a wish: which ones they become is the user's and the desktop's affair.
@MainActor
final class PortalShortcut: GlobalShortcutController.Backend {
  /// How long things may take, and how often they are tried.
  struct Limits {
    /// The wait for an answer that needs no user.
    var answer = Duration.seconds(10)
    /// The waits before a session that was lost is set up anew, one for each attempt.
    var pauses: [Duration] = [.seconds(1), .seconds(5), .seconds(20)]
    /// A portal that ends so many sessions in a row is left alone.
    var losses = 3
    /// A session that held for so long was not lost in a row.
    var steadyTime = Duration.seconds(60)
  }

  private let limits: Limits
  private let refused: KeyFile?
  private let remembers: Bool
  private let connect: @MainActor () async throws(BusError) -> Bus
  private var portal: Portal?
  private var keys: Accelerator?
  private var session: PortalShortcutSession?
  private var sessionToken: ListenerToken?
  private var watch: Bus.Registration?
  private var renewal: Task<Void, Never>?
  /// Whether the portal that was asked last was not there, or ended meanwhile.
  private var isPortalGone = false
  private var losses = 0
  private var heldSince = ContinuousClock.now
  let observers = Observers<GlobalShortcutController.BackendEvent>()

  /// - Parameters:
  ///   - refused: keeps the keys that the user was asked for and refused, so that the next start does not ask again;
  ///     nil for nowhere. Other keys are asked for; once they are granted, these may be, too.
  ///   - remembers: whether what the desktop granted an earlier session works in each later one unasked.
  init(
    limits: Limits = Limits(), refused: KeyFile? = nil, remembers: Bool = false,
    connect: @escaping @MainActor () async throws(BusError) -> Bus = Bus.ownSession
  ) {
    self.limits = limits
    self.refused = refused
    self.remembers = remembers
    self.connect = connect
  }

  func start(_ keys: Accelerator) async -> ShortcutState {
    self.keys = keys
    losses = 0
    let state = await setUp(keys)
    // The user's no is kept to; whatever else went wrong may go right with the portal that comes next.
    if state != .notHeld(.refused), self.keys != nil { watchPortal() }
    return state
  }

  func stop() async {
    keys = nil
    watch = nil
    renewal?.cancel()
    await renewal?.value
    renewal = nil
    await session?.close()
    session = nil
  }

  func forgetRefusal() { keepRefusal(of: nil) }

  private func keepRefusal(of keys: Accelerator?) {
    do throws(GLibError) {
      if let keys { try refused?.write(strings: [("keys", keys.name)]) } else { try refused?.remove() }
    } catch {
      printError(tr("The refusal of the shortcut could not be saved: %s").filled(with: error.message))
    }
  }

  // MARK: - What happens to the session

  /// Notices when the portal ends, and when another one comes.
  private func watchPortal() {
    var isFirst = true
    watch = portal?.bus.watchName(Portal.name) { [weak self] _ in
      // The first call tells of the portal that was asked just now, or of one that has come since.
      if let self, !isFirst || isPortalGone { sessionLost() }
      isFirst = false
    } vanished: { [weak self] in
      isFirst = false
      if self?.session != nil { self?.sessionLost() }
    }
  }

  private func handle(_ event: GlobalShortcutController.BackendEvent) {
    if case .became(.off) = event { sessionLost() } else { observers.notify(event) }
  }

  private func sessionLost() {
    guard let keys, renewal == nil else { return }
    session = nil
    losses = ContinuousClock.now - heldSince < limits.steadyTime ? losses + 1 : 1
    guard losses <= limits.losses else {
      observers.notify(.became(.notHeld(.unsupported)))
      return
    }
    observers.notify(.became(.starting))
    renewal = Task.unpooled { [weak self, limits] in
      var outcome = ShortcutState.notHeld(.unsupported)
      for pause in limits.pauses where outcome == .notHeld(.unsupported) {
        do { try await Timeout.wait(pause) } catch { return }
        guard let state = await self?.setUp(keys), !Task.isCancelled else { return }
        outcome = state
      }
      self?.renewal = nil
      self?.observers.notify(.became(outcome))
    }
  }

  // MARK: - Setting up

  private func setUp(_ keys: Accelerator) async -> ShortcutState {
    let mayAsk = refused?.string("keys") != keys.name
    // KDE stores the refusal in its settings; the user may have changed it since.
    guard mayAsk || remembers else { return .notHeld(.refused) }
    isPortalGone = false
    do throws(Portal.RequestError) {
      let portal = try await connectedPortal()
      let session = try await PortalShortcutSession.make(
        for: keys, through: portal, within: limits.answer, remembers: remembers, mayAsk: mayAsk)
      // The shortcut may have been stopped meanwhile.
      guard self.keys == keys, !Task.isCancelled else {
        await session.close()
        return .off
      }
      self.session = session
      sessionToken = session.observers.add(weakly(self) { $0.handle($1) })
      heldSince = .now
      forgetRefusal()
      return .held(by: .portal, name: session.triggerName)
    } catch {
      isPortalGone = error == .gone
      if error == .refused, mayAsk { keepRefusal(of: keys) }
      return .notHeld(ShortcutState.Reason(error))
    }
  }

  private func connectedPortal() async throws(Portal.RequestError) -> Portal {
    if let portal { return portal }
    do throws(BusError) {
      let portal = Portal(bus: try await connect())
      self.portal = portal
      return portal
    } catch {
      throw .unavailable
    }
  }
}

extension ShortcutState.Reason {
  fileprivate init(_ error: Portal.RequestError) {
    switch error {
    case .refused: self = .refused
    case .notInstalled: self = .notInstalled
    case .unavailable, .gone, .failed, .timedOut, .cancelled: self = .unsupported
    }
  }
}
