import GtkKit

/// A session with the portal of global shortcuts, in which it has one shortcut.
@MainActor
final class PortalShortcutSession {
  /// What the desktop calls the keys, in the user's language; nil where it does not say.
  private(set) var triggerName: String?
  private var isBound = false
  private let portal: Portal
  private let handle: String
  private var subscriptions: [BusRegistration] = []
  private var activated: (@MainActor (Activation) -> Void)?
  private var renamed: (@MainActor () -> Void)?
  private var closed: (@MainActor () -> Void)?

  private static let interface = "org.freedesktop.portal.GlobalShortcuts"
  private static let id = "toggle-history"

  private init(_ portal: Portal, handle: String) {
    self.portal = portal
    self.handle = handle
    subscribe()
  }

  /// Opens a session and asks for the shortcut; the user may be asked for it, too.
  ///
  /// - Parameter remembers: whether what the desktop granted an earlier session works in each later one unasked.
  static func make(
    for keys: Accelerator, through portal: Portal, limits: PortalShortcut.Limits, remembers: Bool
  ) async throws(PortalError) -> PortalShortcutSession {
    try await portal.register(as: CopyPasta.id, within: limits.answer)
    let session = try await open(for: keys, through: portal, limits)
    do throws(PortalError) {
      if !session.isBound, remembers { try await session.recall(limits) }
      // KDE 5.27 has bound it by now, at the latest; asked again, KDE up to 6.3 opens its System Settings.
      if !session.isBound { try await session.bind(keys, limits) }
      return session
    } catch {
      session.close()
      throw error == .silent ? .unanswered : error
    }
  }

  /// Ends the session, and with it the shortcut.
  func close() {
    subscriptions = []
    portal.bus.send(Portal.interface("org.freedesktop.portal.Session", at: handle), "Close")
  }

  /// Calls for each press.
  func onActivated(_ body: @escaping @MainActor (Activation) -> Void) { activated = body }
  /// Calls when the keys are called otherwise than before.
  func onRenamed(_ body: @escaping @MainActor () -> Void) { renamed = body }
  /// Calls when the portal has ended the session.
  func onClosed(_ body: @escaping @MainActor () -> Void) { closed = body }

  // MARK: - Signals

  private func subscribe() {
    let shortcuts = Portal.interface(Self.interface)
    subscriptions = [
      portal.bus.subscribe(to: "Activated", of: shortcuts) { [weak self] in self?.received(activated: $0) },
      portal.bus.subscribe(to: "ShortcutsChanged", of: shortcuts) { [weak self] in
        self?.received(changed: $0)
      },
      portal.bus.subscribe(
        to: "Closed", of: Portal.interface("org.freedesktop.portal.Session", at: handle)
      ) { [weak self] _ in self?.closed?() },
    ]
  }

  /// `(osta{sv})`: session, shortcut, time, options.
  private func received(activated arguments: Variant) {
    guard arguments[0]?.string == handle, arguments[1]?.string == Self.id else { return }
    // The time has no defined beginning; where the desktop wants proof that the user asked, it sends a token.
    let token = arguments[3]?.dictionary?["activation_token"]?.string
    activated?(token.map { .token($0) } ?? .ambient)
  }

  /// `(oa(sa{sv}))`: session, shortcuts.
  private func received(changed arguments: Variant) {
    guard arguments[0]?.string == handle else { return }
    take(arguments[1])
    renamed?()
  }

  // MARK: - Requests

  private static func open(
    for keys: Accelerator, through portal: Portal, _ limits: PortalShortcut.Limits
  ) async throws(PortalError) -> PortalShortcutSession {
    let answer = try await portal.request("CreateSession", of: interface, within: limits.answer) { token in
      let options: [String: Variant] = [
        "handle_token": token,
        // The same at each start: KDE files the shortcut under it.
        "session_handle_token": .string("copypasta"),
        // KDE 5.27 knows only what it is told of here, which no specification mentions.
        "shortcuts": shortcuts(keys),
      ]
      return [.dictionary(options)]
    }
    guard let handle = answer["session_handle"]?.string, Variant.objectPath(handle) != nil else {
      throw .unavailable
    }
    let session = PortalShortcutSession(portal, handle: handle)
    session.take(answer["shortcuts"])
    return session
  }

  private func bind(_ keys: Accelerator, _ limits: PortalShortcut.Limits) async throws(PortalError) {
    guard let session = Variant.objectPath(handle) else { throw .unavailable }
    let answer = try await portal.request(
      "BindShortcuts", of: Self.interface, within: limits.question
    ) { token in
      [session, Self.shortcuts(keys), .string(""), .dictionary(["handle_token": token])]
    }
    // KDE had a version that grants what was asked for, and does not list it.
    guard let granted = answer["shortcuts"] else { return isBound = true }
    take(granted)
    if !isBound { throw .refused }
  }

  /// Looks whether an earlier session was granted the shortcut; a portal that does not say is asked for it then.
  private func recall(_ limits: PortalShortcut.Limits) async throws(PortalError) {
    guard let session = Variant.objectPath(handle) else { throw .unavailable }
    do throws(PortalError) {
      let answer = try await portal.request(
        "ListShortcuts", of: Self.interface, within: limits.answer
      ) { token in [session, .dictionary(["handle_token": token])] }
      take(answer["shortcuts"])
    } catch {
      if error == .cancelled { throw error }
    }
  }

  /// Notes what the desktop has granted, where ours is among it.
  private func take(_ shortcuts: Variant?) {
    guard let name = Self.triggerName(in: shortcuts) else { return }
    isBound = true
    triggerName = name.isEmpty ? nil : Self.readable(name)
  }

  /// The keys as the user knows them: GNOME 48 says "Press <Control><Super>v".
  private static func readable(_ name: String) -> String {
    guard let start = name.firstIndex(of: "<") else { return name }
    return Accelerator(String(name[start...]))?.label ?? name
  }

  /// `a(sa{sv})`: the shortcut, what it does, and the keys that are wished for.
  private static func shortcuts(_ keys: Accelerator) -> Variant {
    let details = Variant.dictionary([
      "description": .string(tr("Show or Hide the Clipboard History")),
      "preferred_trigger": .string(keys.portalTrigger),
    ])
    return .array(of: "(sa{sv})", [.tuple([.string(id), details])])
  }

  /// What a list of shortcuts calls the keys of ours; nil where it is not in it.
  private static func triggerName(in shortcuts: Variant?) -> String? {
    guard let details = shortcuts?.children?.first(where: { $0[0]?.string == id })?[1]?.dictionary else {
      return nil
    }
    return details["trigger_description"]?.string ?? ""
  }
}
