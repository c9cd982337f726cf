import GtkKit
import SerialQueue

/// A shortcut through the desktop's portal (`org.freedesktop.portal.GlobalShortcuts`).
///
/// The requested keys are only a preference: the user and the desktop decide on the actual keys.
@MainActor
final class PortalShortcut: GlobalShortcutController.Backend {
  struct Limits {
    /// The longest wait for an answer that does not depend on the user.
    var answer = Duration.seconds(10)
    /// The pauses before each attempt to set up a lost session again.
    var pauses: [Duration] = [.seconds(1), .seconds(5), .seconds(20)]
    /// The maximum number of consecutive losses after which the session is set up again.
    var losses = 3
    /// If a session has lasted at least this long, its loss starts a new count.
    var steadyTime = Duration.seconds(60)
  }

  private let limits: Limits
  private let refused: KeyFile?
  private let remembers: Bool
  private let connect: @MainActor () async throws(BusError) -> Bus
  private let parent: @MainActor () async -> ParentHandle
  private var portal: Portal?
  private var keys: Accelerator?
  private var session: PortalShortcutSession?
  private var watch: Bus.Registration?
  private var renewal: Task<Void, Never>?
  /// Whether the portal was not running at the last request, or exited during it.
  private var isPortalGone = false
  private var losses = 0
  private var heldSince = ContinuousClock.now
  let observers = Observers<GlobalShortcutController.BackendEvent>()

  /// - Parameters:
  ///   - refused: Stores the keys that the user refused, so that the next start does not ask for them again; nil stores
  ///     nothing. A granted request clears the refusal.
  ///   - remembers: Whether a shortcut that the desktop granted to an earlier session works in later sessions without a
  ///     request.
  ///   - parent: Returns the parent of the portal's dialog.
  init(
    limits: Limits = Limits(), refused: KeyFile? = nil, remembers: Bool = false,
    connect: @escaping @MainActor () async throws(BusError) -> Bus = Bus.ownSession,
    parent: @escaping @MainActor () async -> ParentHandle = { .none }
  ) {
    self.parent = parent
    self.limits = limits
    self.refused = refused
    self.remembers = remembers
    self.connect = connect
  }

  func start(_ keys: Accelerator) async -> ShortcutState {
    self.keys = keys
    losses = 0
    let state = await setUp(keys)
    // Unless the user has refused, watch for a restart of the portal, which may then grant the request.
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

  var openSettings: (@MainActor () async -> Bool)? {
    guard let session, session.version >= 2 else { return nil }
    return { [parent] in await session.configure(above: await parent()) }
  }

  private func keepRefusal(of keys: Accelerator?) {
    do throws(GLibError) {
      if let keys { try refused?.write(strings: [("keys", keys.name)]) } else { try refused?.remove() }
    } catch {
      printError(tr("Couldn’t save that the shortcut was declined: %s").filled(with: error.message))
    }
  }

  // MARK: - Session events

  /// Handles the exit of the portal, and its restart.
  private func watchPortal() {
    var isFirst = true
    watch = portal?.bus.watchName(Portal.name) { [weak self] _ in
      // Ignore the first call unless the portal was gone: the first call reports the portal that has just received the
      // request.
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
    // Query KDE even after a refusal, because the user may have revoked the refusal in KDE's settings.
    guard mayAsk || remembers else { return .notHeld(.refused) }
    isPortalGone = false
    do throws(Portal.RequestError) {
      let portal = try await connectedPortal()
      let session = try await PortalShortcutSession.make(
        for: keys, through: portal, within: limits.answer, remembers: remembers, mayAsk: mayAsk,
        parent, weakly(self) { $0.handle($1) })
      // Close the session if the shortcut was stopped while it was being set up.
      guard self.keys == keys, !Task.isCancelled else {
        await session.close()
        return .off
      }
      self.session = session
      heldSince = .now
      forgetRefusal()
      return session.state
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

/// A session with the global shortcuts portal, for one shortcut.
@MainActor
private final class PortalShortcutSession {
  /// The desktop's name for the keys, in the user's language; nil if it provides none.
  private(set) var triggerName: String?
  /// Whether the desktop has listed the shortcut, possibly without keys, and has not revoked it since.
  private(set) var isListed = false
  /// The version of the portal's interface.
  private(set) var version: UInt32 = 1
  private let portal: Portal
  private let handle: String
  private let path: Variant
  private var subscriptions: [Bus.Registration] = []
  /// Receives the session's events once the session is set up; `off` means that the portal has closed it.
  private var report: (@MainActor (GlobalShortcutController.BackendEvent) -> Void)?

  private static let interface = "org.freedesktop.portal.GlobalShortcuts"
  private static let id = "toggle-history"

  private init(_ portal: Portal, handle: String, path: Variant) {
    self.portal = portal
    self.handle = handle
    self.path = path
    subscribe()
  }

  /// Opens a session and requests the shortcut; the portal may ask the user, without a time limit.
  ///
  /// - Parameters:
  ///   - limit: How long to wait for answers that do not depend on the user.
  ///   - remembers: Whether `ListShortcuts` lists what the desktop granted to an earlier session, as KDE's does.
  ///   - mayAsk: Whether the user may be asked; if false, only an earlier grant is used.
  ///   - parent: Returns the parent of the portal's dialog.
  /// - Throws: `refused` if the desktop refuses the shortcut, or the user refuses it or has refused it earlier.
  static func make(
    for keys: Accelerator, through portal: Portal, within limit: Duration, remembers: Bool, mayAsk: Bool,
    _ parent: @MainActor () async -> ParentHandle,
    _ report: @escaping @MainActor (GlobalShortcutController.BackendEvent) -> Void
  ) async throws(Portal.RequestError) -> PortalShortcutSession {
    try await portal.register(as: CopyPasta.id, within: limit)
    var session = try await open(for: keys, through: portal, limit)
    defer { session.report = report }
    do throws(Portal.RequestError) {
      if !session.isListed, remembers { try await session.recall(limit) }
      // KDE also lists a shortcut that its user has refused, but without keys.
      guard mayAsk || session.triggerName != nil else { throw .refused }
      guard try await session.wantsBinding(limit) else { return session }
      let parent = await parent()
      defer { withExtendedLifetime(parent) {} }
      if try await !session.bind(keys, above: parent) {
        // GNOME 50 may grant the request but list no shortcut. A session can be bound only once, so open a new
        // session, which gets the granted shortcut without another dialog.
        let version = session.version
        await session.close()
        session = try await open(for: keys, through: portal, limit)
        session.version = version
        _ = try await session.bind(keys, above: parent)
      }
      // A version of KDE grants the request without any list of shortcuts.
      if session.triggerName == nil { try await session.recall(limit) }
      return session
    } catch {
      await session.close()
      throw error
    }
  }

  /// Closes the session, which releases the shortcut; waits for the portal, because the next session has the same
  /// handle.
  func close() async {
    subscriptions = []
    // Use a separate task, because the current task may be cancelled, and would then send nothing.
    await Task.unpooled { [bus = portal.bus, handle] in
      let session = Portal.interface("org.freedesktop.portal.Session", at: handle)
      do throws(BusError) {
        try await bus.call(session, "Close", timeout: .seconds(5), startsService: false)
      } catch {
        // The session was already closed, or the portal has exited.
      }
    }.value
  }

  // MARK: - Signals

  private func subscribe() {
    let shortcuts = Portal.interface(Self.interface)
    subscriptions = [
      portal.bus.subscribe(to: "Activated", of: shortcuts, weakly(self) { $0.received(activated: $1) }),
      portal.bus.subscribe(to: "ShortcutsChanged", of: shortcuts, weakly(self) { $0.received(changed: $1) }),
      portal.bus.subscribe(
        to: "Closed", of: Portal.interface("org.freedesktop.portal.Session", at: handle),
        weakly(self) { session, _ in session.report?(.became(.off)) }),
    ]
  }

  /// Handles the signal `Activated`, whose arguments are `(osta{sv})`: session, shortcut, time, options.
  private func received(activated arguments: Variant) {
    guard arguments[0]?.string == handle, arguments[1]?.string == Self.id else { return }
    // Ignore the timestamp, because the specification does not define what it counts from. Desktops that require proof
    // of user input send a token.
    let token = arguments[3]?.dictionary?["activation_token"]?.string
    report?(.pressed(token.map { .token($0) } ?? .ambient))
  }

  /// Handles the signal `ShortcutsChanged`, whose arguments are `(oa(sa{sv}))`: session, shortcuts.
  private func received(changed arguments: Variant) {
    guard arguments[0]?.string == handle else { return }
    // Before the session is set up, this signal reports only grants; the answer to the request reports refusals.
    guard report != nil else { return note(arguments[1]) }
    let hadKeys = triggerName != nil
    triggerName = nil
    isListed = false
    note(arguments[1])
    // KDE still lists a shortcut whose keys were removed, but names no keys.
    report?(.became(hadKeys && triggerName == nil ? .notHeld(.removed) : state))
  }

  /// Whether keys are bound to the shortcut.
  ///
  /// Hyprland's portal grants every request but binds no keys, so a grant that names no keys does not count.
  var state: ShortcutState { triggerName.map { .held(by: .portal, name: $0) } ?? .notHeld(.unbound) }

  /// Opens the desktop's own dialog for the keys (version 2 of the portal).
  ///
  /// - Returns: False if the desktop has none.
  func configure(above parent: ParentHandle) async -> Bool {
    do throws(BusError) {
      try await portal.bus.call(
        Portal.interface(Self.interface), "ConfigureShortcuts",
        [path, .string(parent.name), .dictionary([:])])
      return true
    } catch {
      return false
    }
  }

  // MARK: - Requests

  private static func open(
    for keys: Accelerator, through portal: Portal, _ limit: Duration
  ) async throws(Portal.RequestError) -> PortalShortcutSession {
    let answer = try await portal.request("CreateSession", of: interface, within: limit) { token in
      let options: [String: Variant] = [
        "handle_token": token,
        // Use the same token at each start, because KDE stores the shortcut under it.
        "session_handle_token": .string("copypasta"),
        // KDE 5.27 grants only shortcuts that are listed here, although no specification mentions this option.
        "shortcuts": shortcuts(keys),
      ]
      return [.dictionary(options)]
    }
    guard let handle = answer["session_handle"]?.string, let path = Variant.objectPath(handle) else {
      throw .unavailable
    }
    let session = PortalShortcutSession(portal, handle: handle, path: path)
    session.note(answer["shortcuts"])
    return session
  }

  /// Requests the shortcut.
  ///
  /// - Returns: False if the portal grants the request with an empty list of shortcuts.
  private func bind(
    _ keys: Accelerator, above parent: ParentHandle
  ) async throws(Portal.RequestError) -> Bool {
    let answer: [String: Variant]
    do throws(Portal.RequestError) {
      answer = try await portal.request("BindShortcuts", of: Self.interface, within: nil) { token in
        [path, Self.shortcuts(keys), .string(parent.name), .dictionary(["handle_token": token])]
      }
    } catch {
      // GNOME reports a refusal by the user as a failure.
      throw error == .failed ? .refused : error
    }
    note(answer["shortcuts"])
    if isListed { return true }
    // The portal has granted only other shortcuts.
    if answer["shortcuts"]?.children?.isEmpty == false { throw .refused }
    return answer["shortcuts"] == nil
  }

  /// Whether the shortcut has to be requested: it was not granted before, or works only after a request.
  ///
  /// A portal of version 2 binds a previously granted shortcut without a dialog, so always request it there. With
  /// version 1, do not: KDE 6.3 would open System Settings each time. KDE 6.7.4 has version 2, but xdg-desktop-portal
  /// before 1.21 reports 1 for every backend, so ask KDE's own backend, too.
  private func wantsBinding(_ limit: Duration) async throws(Portal.RequestError) -> Bool {
    version = try await version(of: Portal.name, Self.interface, limit)
    guard isListed, version < 2 else { return true }
    let backend = "org.freedesktop.impl.portal"
    return try await version(of: backend + ".desktop.kde", backend + ".GlobalShortcuts", limit) >= 2
  }

  /// Returns the version of a portal's interface, 1 if it is unknown.
  private func version(
    of program: String, _ interface: String, _ limit: Duration
  ) async throws(Portal.RequestError) -> UInt32 {
    let properties = RemoteObject(
      name: program, path: Portal.path, interface: "org.freedesktop.DBus.Properties")
    do throws(BusError) {
      let answer = try await portal.bus.call(
        properties, "Get", [.string(interface), .string("version")], timeout: limit, startsService: false)
      return answer[0]?.unboxed?.uint32 ?? 1
    } catch {
      if error == .cancelled { throw .cancelled }
      return 1
    }
  }

  /// Checks whether the desktop granted the shortcut to an earlier session; after an error, the shortcut is requested.
  private func recall(_ limit: Duration) async throws(Portal.RequestError) {
    do throws(Portal.RequestError) {
      let answer = try await portal.request("ListShortcuts", of: Self.interface, within: limit) { token in
        [path, .dictionary(["handle_token": token])]
      }
      note(answer["shortcuts"])
    } catch {
      if error == .cancelled { throw error }
    }
  }

  /// Stores the state of our shortcut if it is among those that the desktop has granted.
  private func note(_ shortcuts: Variant?) {
    guard let name = Self.triggerName(in: shortcuts) else { return }
    isListed = true
    triggerName = name.isEmpty ? nil : Self.readable(name)
  }

  /// Returns the name of the keys in the notation that users know.
  ///
  /// GNOME 48 provides "Press <Control><Super>v", with any alternative keys after it.
  private static func readable(_ name: String) -> String {
    let words = name.split { $0.isWhitespace || $0 == "," || $0 == ";" }
    let keys = words.filter { $0.hasPrefix("<") }.compactMap { Accelerator(String($0))?.label }
    guard let first = keys.first else { return name }
    return keys.dropFirst().reduce(first) { tr("%s or %s").filled(with: $0, $1) }
  }

  /// The shortcut as an `a(sa{sv})`: its id, its description and the preferred keys.
  private static func shortcuts(_ keys: Accelerator) -> Variant {
    let details = Variant.dictionary([
      "description": .string(tr("Show or Hide the Clipboard History")),
      "preferred_trigger": .string(keys.portalTrigger),
    ])
    return .array(of: "(sa{sv})", [.tuple([.string(id), details])])
  }

  /// The name of our shortcut's keys in a list of shortcuts; nil if our shortcut is not in the list.
  private static func triggerName(in shortcuts: Variant?) -> String? {
    guard let details = shortcuts?.children?.first(where: { $0[0]?.string == id })?[1]?.dictionary else {
      return nil
    }
    return details["trigger_description"]?.string ?? ""
  }
}

extension Accelerator {
  /// The keys in the notation of the XDG shortcuts specification, for the portal: `CTRL+LOGO+v`.
  ///
  /// Hyper and Meta are omitted, because the specification does not define them.
  fileprivate var portalTrigger: String {
    let names: [(Modifiers, String)] = [
      (.control, "CTRL"), (.alt, "ALT"), (.shift, "SHIFT"), (.logo, "LOGO"),
    ]
    return (names.filter { modifiers.contains($0.0) }.map(\.1) + [keyName]).joined(separator: "+")
  }
}
