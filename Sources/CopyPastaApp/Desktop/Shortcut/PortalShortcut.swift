import GtkKit
import SerialQueue

/// A shortcut through the desktop's portal (`org.freedesktop.portal.GlobalShortcuts`).
///
/// The requested keys are only a preference: the user and the desktop decide on the actual keys.
@MainActor
final class PortalShortcut: GlobalShortcutController.Backend {
  /// The longest wait for an answer that does not depend on the user.
  private let limit: Duration
  private let remembers: Bool
  private let connect: @MainActor () async throws(BusError) -> Bus
  private var portal: Portal?
  private var session: PortalShortcutSession?
  private var watch: Bus.Registration?
  /// Whether a session that the portal closes is replaced: once, and again after a press or a restart of the portal.
  private var replacesClosed = true
  let observers = Observers<GlobalShortcutController.BackendEvent>()

  /// - Parameter remembers: Whether a shortcut that the desktop granted to an earlier session works in later sessions
  ///   without a request.
  init(
    answeringWithin limit: Duration = .seconds(10), remembers: Bool = false,
    connect: @escaping @MainActor () async throws(BusError) -> Bus = Bus.ownSession
  ) {
    self.limit = limit
    self.remembers = remembers
    self.connect = connect
  }

  func start(_ keys: Accelerator) async -> ShortcutState {
    var isGone = false
    do throws(Portal.RequestError) {
      let portal = try await connectedPortal()
      let session = try await PortalShortcutSession.make(
        for: keys, through: portal, within: limit, remembers: remembers, weakly(self) { $0.handle($1) })
      // Close the session if the shortcut was stopped while it was being set up.
      guard !Task.isCancelled else {
        await session.close()
        return .off
      }
      self.session = session
    } catch {
      if error == .refused { return .notHeld(.refused) }
      isGone = error == .gone
    }
    if !Task.isCancelled { watchPortal(isGone: isGone) }
    return session?.state ?? .notHeld(.unsupported)
  }

  func stop() async {
    watch = nil
    let session = session
    self.session = nil
    await session?.close()
  }

  private func handle(_ event: GlobalShortcutController.BackendEvent) {
    switch event {
    case .pressed: replacesClosed = true
    case .lost:
      session = nil
      guard replacesClosed else { return observers.notify(.became(.notHeld(.unsupported))) }
      replacesClosed = false
    case .became: break
    }
    observers.notify(event)
  }

  /// Reports the exit of the portal, and its start, after which the shortcut can be requested again.
  private func watchPortal(isGone: Bool) {
    // Ignore the first call unless the portal was gone: it reports the portal that has just received the request.
    var isRunning = !isGone
    watch = portal?.bus.watchName(Portal.name) { [weak self] _ in
      if !isRunning {
        self?.replacesClosed = true
        self?.observers.notify(.lost)
      }
      isRunning = true
    } vanished: { [weak self] in
      isRunning = false
      // Request the shortcut again, which starts the portal.
      if self?.session != nil { self?.observers.notify(.lost) }
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

/// A session with the global shortcuts portal, for one shortcut.
@MainActor
private final class PortalShortcutSession {
  /// The desktop's name for the keys, in the user's language; nil if it provides none.
  private var triggerName: String?
  /// Whether the desktop has listed the shortcut, possibly without keys, and has not revoked it since.
  private var isListed = false
  private let portal: Portal
  private let path: Variant
  private var subscriptions: [Bus.Registration] = []
  /// Receives the session's events once the session is set up; `lost` means that the portal has closed it.
  private var report: (@MainActor (GlobalShortcutController.BackendEvent) -> Void)?

  private static let interface = "org.freedesktop.portal.GlobalShortcuts"
  private static let id = "toggle-history"

  private init(_ portal: Portal, path: Variant) {
    self.portal = portal
    self.path = path
    subscribe()
  }

  /// Opens a session and requests the shortcut; the portal may ask the user, without a time limit.
  ///
  /// - Parameters:
  ///   - limit: How long to wait for answers that do not depend on the user.
  ///   - remembers: Whether `ListShortcuts` lists what the desktop granted to an earlier session, as KDE's does.
  /// - Throws: `refused` if the desktop or the user refuses the shortcut.
  static func make(
    for keys: Accelerator, through portal: Portal, within limit: Duration, remembers: Bool,
    _ report: @escaping @MainActor (GlobalShortcutController.BackendEvent) -> Void
  ) async throws(Portal.RequestError) -> PortalShortcutSession {
    try await portal.register(as: CopyPasta.id, within: limit)
    var session = try await open(for: keys, through: portal, limit)
    defer { session.report = report }
    do throws(Portal.RequestError) {
      if !session.isListed, remembers { try await session.recall(limit) }
      guard try await session.wantsBinding(limit) else { return session }
      if try await !session.bind(keys) {
        // GNOME 50 may grant the request but list no shortcut. A session can be bound only once, so open a new
        // session, which gets the granted shortcut without another dialog.
        await session.close()
        session = try await open(for: keys, through: portal, limit)
        _ = try await session.bind(keys)
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
    await Task.unpooled { [bus = portal.bus, session] in
      do throws(BusError) {
        try await bus.call(session, "Close", timeout: .seconds(5), startsService: false)
      } catch {
        // The session was already closed, or the portal has exited.
      }
    }.value
  }

  private var session: RemoteObject {
    Portal.interface("org.freedesktop.portal.Session", at: path.string ?? "")
  }

  // MARK: - Signals

  private func subscribe() {
    let shortcuts = Portal.interface(Self.interface)
    subscriptions = [
      portal.bus.subscribe(to: "Activated", of: shortcuts, weakly(self) { $0.received(activated: $1) }),
      portal.bus.subscribe(to: "ShortcutsChanged", of: shortcuts, weakly(self) { $0.received(changed: $1) }),
      portal.bus.subscribe(
        to: "Closed", of: session, weakly(self) { session, _ in session.report?(.lost) }),
    ]
  }

  /// Handles the signal `Activated`, whose arguments are `(osta{sv})`: session, shortcut, time, options.
  private func received(activated arguments: Variant) {
    guard arguments[0] == path, arguments[1]?.string == Self.id else { return }
    // Ignore the timestamp, because the specification does not define what it counts from. Desktops that require proof
    // of user input send a token.
    let token = arguments[3]?.dictionary?["activation_token"]?.string
    report?(.pressed(token.map { .token($0) } ?? .ambient))
  }

  /// Handles the signal `ShortcutsChanged`, whose arguments are `(oa(sa{sv}))`: session, shortcuts.
  private func received(changed arguments: Variant) {
    guard arguments[0] == path else { return }
    // Before the session is set up, this signal reports only grants; the answer to the request reports refusals.
    guard report != nil else { return note(arguments[1]) }
    let hadKeys = triggerName != nil
    triggerName = nil
    isListed = false
    note(arguments[1])
    // KDE still lists a shortcut whose keys were removed, but names no keys.
    report?(.became(hadKeys && triggerName == nil ? .notHeld(.refused) : state))
  }

  /// Whether keys are bound to the shortcut.
  ///
  /// Hyprland's portal grants every request but binds no keys, so a grant that names no keys does not count.
  var state: ShortcutState { triggerName.map { .held(by: .portal, name: $0) } ?? .notHeld(.unsupported) }

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
    guard let path = answer["session_handle"]?.string.flatMap(Variant.objectPath) else { throw .unavailable }
    let session = PortalShortcutSession(portal, path: path)
    session.note(answer["shortcuts"])
    return session
  }

  /// Requests the shortcut; returns false if the portal grants the request with an empty list of shortcuts.
  private func bind(_ keys: Accelerator) async throws(Portal.RequestError) -> Bool {
    let answer: [String: Variant]
    do throws(Portal.RequestError) {
      answer = try await portal.request("BindShortcuts", of: Self.interface, within: nil) { token in
        [path, Self.shortcuts(keys), .string(""), .dictionary(["handle_token": token])]
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
    guard isListed, try await version(of: Portal.name, Self.interface, limit) < 2 else { return true }
    let backend = "org.freedesktop.impl.portal"
    return try await version(of: backend + ".desktop.kde", backend + ".GlobalShortcuts", limit) >= 2
  }

  /// Returns the version of a portal's interface, 1 if it is unknown.
  private func version(
    of program: String, _ interface: String, _ limit: Duration
  ) async throws(Portal.RequestError) -> UInt32 {
    let portals = RemoteObject(name: program, path: Portal.path, interface: interface)
    do throws(BusError) {
      return try await portal.bus.property("version", of: portals, timeout: limit)?.uint32 ?? 1
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
