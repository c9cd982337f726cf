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
        for: keys, through: portal, within: limits.answer, remembers: remembers, mayAsk: mayAsk,
        weakly(self) { $0.handle($1) })
      // Close the session if the shortcut was stopped meanwhile.
      guard self.keys == keys, !Task.isCancelled else {
        await session.close()
        return .off
      }
      self.session = session
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

/// A session with the portal of global shortcuts, with one shortcut.
@MainActor
private final class PortalShortcutSession {
  /// The desktop's name for the keys, in the user's language; nil if it does not say.
  private(set) var triggerName: String?
  /// Whether the desktop has granted the shortcut, and it was not taken away since.
  private(set) var isBound = false
  private let portal: Portal
  private let handle: String
  private let path: Variant
  private var subscriptions: [Bus.Registration] = []
  /// Called with what happens once the session is set up; the state is `off` if the portal has ended the session.
  private var report: (@MainActor (GlobalShortcutController.BackendEvent) -> Void)?

  private static let interface = "org.freedesktop.portal.GlobalShortcuts"
  private static let id = "toggle-history"

  private init(_ portal: Portal, handle: String, path: Variant) {
    self.portal = portal
    self.handle = handle
    self.path = path
    subscribe()
  }

  /// Opens a session and asks for the shortcut; the user may be asked for it, too, and may take their time.
  ///
  /// - Parameters:
  ///   - limit: how long an answer may take that needs no user.
  ///   - remembers: whether `ListShortcuts` says what the desktop granted an earlier session, as KDE's does.
  ///   - mayAsk: whether the user may be asked; if false, only an earlier grant is used.
  /// - Throws: `refused` if the user, now or earlier, or the desktop does not want it.
  static func make(
    for keys: Accelerator, through portal: Portal, within limit: Duration, remembers: Bool, mayAsk: Bool,
    _ report: @escaping @MainActor (GlobalShortcutController.BackendEvent) -> Void
  ) async throws(Portal.RequestError) -> PortalShortcutSession {
    try await portal.register(as: CopyPasta.id, within: limit)
    var session = try await open(for: keys, through: portal, limit)
    defer { session.report = report }
    do throws(Portal.RequestError) {
      if !session.isBound, remembers { try await session.recall(limit) }
      // KDE lists what its user has refused, without keys.
      guard mayAsk || session.triggerName != nil else { throw .refused }
      guard try await session.wantsBinding(limit) else { return session }
      if try await session.bind(keys) { return session }
      // GNOME 50 may say yes and list nothing. A session is bound only once, and a new one gets what the user has
      // agreed to without another question.
      await session.close()
      session = try await open(for: keys, through: portal, limit)
      _ = try await session.bind(keys)
      return session
    } catch {
      await session.close()
      throw error
    }
  }

  /// Ends the session, and with it the shortcut; returns once the portal has done so, for the next one has its name.
  func close() async {
    subscriptions = []
    // In a task of its own: a task that was cancelled sends nothing any more.
    await Task.unpooled { [bus = portal.bus, handle] in
      let session = Portal.interface("org.freedesktop.portal.Session", at: handle)
      do throws(BusError) {
        try await bus.call(session, "Close", timeout: .seconds(5), startsService: false)
      } catch {
        // The session has ended before, or the portal has.
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

  /// `(osta{sv})`: session, shortcut, time, options.
  private func received(activated arguments: Variant) {
    guard arguments[0]?.string == handle, arguments[1]?.string == Self.id else { return }
    // The time has no defined beginning; if the desktop wants proof that the user asked, it sends a token.
    let token = arguments[3]?.dictionary?["activation_token"]?.string
    report?(.pressed(token.map { .token($0) } ?? .ambient))
  }

  /// `(oa(sa{sv}))`: session, shortcuts.
  private func received(changed arguments: Variant) {
    guard arguments[0]?.string == handle else { return }
    // Before the session is set up, this signal tells what is granted, and the answer to the request what is not.
    guard report != nil else { return note(arguments[1]) }
    let hadKeys = triggerName != nil
    triggerName = nil
    isBound = false
    note(arguments[1])
    // KDE goes on to list a shortcut whose keys were taken away; some desktops never name any.
    if hadKeys, triggerName == nil { isBound = false }
    report?(.became(isBound ? .held(by: .portal, name: triggerName) : .notHeld(.removed)))
  }

  // MARK: - Requests

  private static func open(
    for keys: Accelerator, through portal: Portal, _ limit: Duration
  ) async throws(Portal.RequestError) -> PortalShortcutSession {
    let answer = try await portal.request("CreateSession", of: interface, within: limit) { token in
      let options: [String: Variant] = [
        "handle_token": token,
        // The token is the same at each start: KDE files the shortcut under it.
        "session_handle_token": .string("copypasta"),
        // KDE 5.27 grants only the shortcuts that CreateSession names, which no specification mentions.
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

  /// Asks for the shortcut.
  ///
  /// - Returns: false if the answer is a yes that does not say to what.
  private func bind(_ keys: Accelerator) async throws(Portal.RequestError) -> Bool {
    let answer: [String: Variant]
    do throws(Portal.RequestError) {
      answer = try await portal.request("BindShortcuts", of: Self.interface, within: nil) { token in
        [path, Self.shortcuts(keys), .string(""), .dictionary(["handle_token": token])]
      }
    } catch {
      // GNOME's words for a user's no.
      throw error == .failed ? .refused : error
    }
    note(answer["shortcuts"])
    if isBound { return true }
    // The portal has granted something else.
    if answer["shortcuts"]?.children?.isEmpty == false { throw .refused }
    isBound = true
    // KDE had a version that grants what was asked for, and lists nothing at all.
    return answer["shortcuts"] == nil
  }

  /// Whether the shortcut has to be asked for: it was not granted before, or works only once it is asked for.
  ///
  /// A shortcut that was granted before is bound without a question by a portal of version 2. KDE 6.3, of version 1,
  /// opens its System Settings each time, and needs no binding.
  private func wantsBinding(_ limit: Duration) async throws(Portal.RequestError) -> Bool {
    guard isBound else { return true }
    let properties = Portal.interface("org.freedesktop.DBus.Properties")
    do throws(BusError) {
      let answer = try await portal.bus.call(
        properties, "Get", [.string(Self.interface), .string("version")], timeout: limit)
      return (answer[0]?.unboxed?.uint32 ?? 1) >= 2
    } catch {
      if error == .cancelled { throw .cancelled }
      return false
    }
  }

  /// Looks whether an earlier session was granted the shortcut; a portal that does not say is asked for it then.
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

  /// Notes our shortcut if it is among those that the desktop has granted.
  private func note(_ shortcuts: Variant?) {
    guard let name = Self.triggerName(in: shortcuts) else { return }
    isBound = true
    triggerName = name.isEmpty ? nil : Self.readable(name)
  }

  /// The keys as the user knows them: GNOME 48 says "Press <Control><Super>v", with one after the other if there are
  /// several.
  private static func readable(_ name: String) -> String {
    let words = name.split { $0.isWhitespace || $0 == "," || $0 == ";" }
    let keys = words.filter { $0.hasPrefix("<") }.compactMap { Accelerator(String($0))?.label }
    guard let first = keys.first else { return name }
    return keys.dropFirst().reduce(first) { tr("%s or %s").filled(with: $0, $1) }
  }

  /// `a(sa{sv})`: the shortcut, what it does, and the keys that are wished for.
  private static func shortcuts(_ keys: Accelerator) -> Variant {
    let details = Variant.dictionary([
      "description": .string(tr("Open or Close the Clipboard History")),
      "preferred_trigger": .string(keys.portalTrigger),
    ])
    return .array(of: "(sa{sv})", [.tuple([.string(id), details])])
  }

  /// The name for our keys in a list of shortcuts; nil if ours is not in the list.
  private static func triggerName(in shortcuts: Variant?) -> String? {
    guard let details = shortcuts?.children?.first(where: { $0[0]?.string == id })?[1]?.dictionary else {
      return nil
    }
    return details["trigger_description"]?.string ?? ""
  }
}

extension Accelerator {
  /// The keys as the portal wants them, by the XDG shortcuts specification: `CTRL+LOGO+v`.
  ///
  /// The specification knows neither Hyper nor Meta; they are left out.
  fileprivate var portalTrigger: String {
    let names: [(Modifiers, String)] = [
      (.control, "CTRL"), (.alt, "ALT"), (.shift, "SHIFT"), (.logo, "LOGO"),
    ]
    return (names.filter { modifiers.contains($0.0) }.map(\.1) + [keyName]).joined(separator: "+")
  }
}
