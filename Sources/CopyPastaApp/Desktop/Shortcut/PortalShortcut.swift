import GtkKit
import SerialQueue

/// A shortcut by the desktop's portal (`org.freedesktop.portal.GlobalShortcuts`).
///
/// The requested keys are only a preference: the user and the desktop decide on the actual keys.
@MainActor
final class PortalShortcut: GlobalShortcutController.Backend {
  struct Limits {
    /// The longest wait for an answer that does not depend on the user.
    var answer = Duration.seconds(10)
    /// The pauses before each attempt to set up a lost session again.
    var pauses: [Duration] = [.seconds(1), .seconds(5), .seconds(20)]
    /// The number of consecutive losses after which a lost session is not set up again.
    var losses = 3
    /// The time after which the loss of a session no longer counts as consecutive.
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
  /// Whether the portal did not run at the last request, or ended during it.
  private var isPortalGone = false
  private var losses = 0
  private var heldSince = ContinuousClock.now
  let observers = Observers<GlobalShortcutController.BackendEvent>()

  /// - Parameters:
  ///   - refused: Stores the keys that the user refused, so that the next start does not ask for them again; nil stores
  ///     nothing. Granting other keys clears the refusal.
  ///   - remembers: Whether a shortcut that the desktop granted to an earlier session works in later ones without a
  ///     request.
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
    // Watch for a new portal, unless the user has refused: any other failure may not occur with the next portal.
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
      printError(tr("Couldn’t save that the shortcut was declined: %s").filled(with: error.message))
    }
  }

  // MARK: - What happens to the session

  /// Handles the end of the portal, and the start of another one.
  private func watchPortal() {
    var isFirst = true
    watch = portal?.bus.watchName(Portal.name) { [weak self] _ in
      // Ignore the first call if it reports the portal that was just asked, and not one that has started since.
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
    // Query KDE even after a refusal, because the user may have revoked it in KDE's settings.
    guard mayAsk || remembers else { return .notHeld(.refused) }
    isPortalGone = false
    do throws(Portal.RequestError) {
      let portal = try await connectedPortal()
      let session = try await PortalShortcutSession.make(
        for: keys, through: portal, within: limits.answer, remembers: remembers, mayAsk: mayAsk)
      // Close the session if the shortcut was stopped meanwhile.
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
