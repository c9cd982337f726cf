import GtkKit
import SerialQueue

/// A session of the GlobalShortcuts portal with one shortcut.
@MainActor
final class PortalShortcutSession {
  /// The desktop's name for the keys, in the user's language; nil if the portal does not provide it.
  private(set) var triggerName: String?
  /// Whether the desktop has granted the shortcut and not revoked it.
  private(set) var isBound = false
  private let portal: Portal
  private let handle: String
  private let path: Variant
  private var subscriptions: [Bus.Registration] = []
  private var isSetUp = false

  /// Notified of events after the session is set up; the state becomes `off` when the portal closes the session.
  let observers = Observers<GlobalShortcutController.BackendEvent>()

  private static let interface = "org.freedesktop.portal.GlobalShortcuts"
  private static let id = "toggle-history"

  private init(_ portal: Portal, handle: String, path: Variant) {
    self.portal = portal
    self.handle = handle
    self.path = path
    subscribe()
  }

  /// Opens a session and requests the shortcut, for which the desktop may ask the user without a time limit.
  ///
  /// - Parameters:
  ///   - limit: How long an answer may take that does not depend on the user.
  ///   - remembers: Whether `ListShortcuts` returns what the desktop granted to an earlier session, as KDE's does.
  ///   - mayAsk: Whether the user may be asked; if false, only an earlier grant is used.
  /// - Throws: `refused` if the user, now or earlier, or the desktop has refused the shortcut.
  static func make(
    for keys: Accelerator, through portal: Portal, within limit: Duration, remembers: Bool,
    mayAsk: Bool
  ) async throws(Portal.RequestError) -> PortalShortcutSession {
    try await portal.register(as: CopyPasta.id, within: limit)
    var session = try await open(for: keys, through: portal, limit)
    defer { session.isSetUp = true }
    do throws(Portal.RequestError) {
      if !session.isBound, remembers { try await session.recall(limit) }
      // KDE also lists a shortcut that the user has refused, but without keys.
      guard mayAsk || session.triggerName != nil else { throw .refused }
      guard try await session.wantsBinding(limit) else { return session }
      if try await session.bind(keys) { return session }
      // GNOME 50 may grant the shortcut and list nothing. A session can be bound only once, so bind a new session,
      // which gets what the user has granted without another dialog.
      await session.close()
      session = try await open(for: keys, through: portal, limit)
      _ = try await session.bind(keys)
      return session
    } catch {
      await session.close()
      throw error
    }
  }

  /// Closes the session and with it the shortcut; returns when the portal has done so, because the next one has its
  /// name.
  func close() async {
    subscriptions = []
    // Use a task of its own, because the present one may be cancelled and its call would not be sent.
    await Task.unpooled { [bus = portal.bus, handle] in
      let session = Portal.interface("org.freedesktop.portal.Session", at: handle)
      do throws(BusError) {
        try await bus.call(session, "Close", timeout: .seconds(5), startsService: false)
      } catch {
        // The session or the portal has already ended.
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
        to: "Closed", of: Portal.interface("org.freedesktop.portal.Session", at: handle)
      ) { [observers] _ in observers.notify(.became(.off)) },
    ]
  }

  /// `(osta{sv})`: session, shortcut, time, options.
  private func received(activated arguments: Variant) {
    guard arguments[0]?.string == handle, arguments[1]?.string == Self.id else { return }
    // Ignore the time, whose origin is not defined. A desktop that requires an activation token sends one.
    let token = arguments[3]?.dictionary?["activation_token"]?.string
    observers.notify(.pressed(token.map { .token($0) } ?? .ambient))
  }

  /// `(oa(sa{sv}))`: session, shortcuts.
  private func received(changed arguments: Variant) {
    guard arguments[0]?.string == handle else { return }
    // During the setup the signal only adds what is granted; the answer to the request decides about the rest.
    guard isSetUp else { return note(arguments[1]) }
    let hadKeys = triggerName != nil
    triggerName = nil
    isBound = false
    note(arguments[1])
    // KDE still lists a shortcut whose keys were removed. A desktop that never named any keys may list it so, too.
    if hadKeys, triggerName == nil { isBound = false }
    observers.notify(.became(isBound ? .held(by: .portal, name: triggerName) : .notHeld(.removed)))
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
        // KDE 5.27 knows only the shortcuts in this option, which is not in the specification.
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
  /// - Returns: False if the request was granted with an empty list of shortcuts.
  private func bind(_ keys: Accelerator) async throws(Portal.RequestError) -> Bool {
    let answer: [String: Variant]
    do throws(Portal.RequestError) {
      answer = try await portal.request("BindShortcuts", of: Self.interface, within: nil) { token in
        [path, Self.shortcuts(keys), .string(""), .dictionary(["handle_token": token])]
      }
    } catch {
      // GNOME ends the request so if the user denies it.
      throw error == .failed ? .refused : error
    }
    note(answer["shortcuts"])
    if isBound { return true }
    // The portal has granted other shortcuts only.
    if answer["shortcuts"]?.children?.isEmpty == false { throw .refused }
    isBound = true
    // A version of KDE grants the request and returns no list at all.
    return answer["shortcuts"] == nil
  }

  /// Whether the shortcut has to be bound: it was not granted before, or it works only when it is bound.
  ///
  /// A portal of version 2 binds a shortcut that was granted before without a dialog. KDE 6.3, of version 1, would open
  /// its System Settings each time, and does not need the binding.
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

  /// Queries whether the shortcut was granted to an earlier session; without an answer it counts as not granted.
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

  /// Updates the state if our shortcut is in a list of granted shortcuts.
  private func note(_ shortcuts: Variant?) {
    guard let name = Self.triggerName(in: shortcuts) else { return }
    isBound = true
    triggerName = name.isEmpty ? nil : Self.readable(name)
  }

  /// The keys as the user reads them.
  ///
  /// GNOME 48 returns "Press <Control><Super>v", with several keys one after the other.
  private static func readable(_ name: String) -> String {
    let words = name.split { $0.isWhitespace || $0 == "," || $0 == ";" }
    let keys = words.filter { $0.hasPrefix("<") }.compactMap { Accelerator(String($0))?.label }
    guard let first = keys.first else { return name }
    return keys.dropFirst().reduce(first) { tr("%s or %s").filled(with: $0, $1) }
  }

  /// `a(sa{sv})`: the shortcut's id, its description and the preferred keys.
  private static func shortcuts(_ keys: Accelerator) -> Variant {
    let details = Variant.dictionary([
      "description": .string(tr("Open or Close the Clipboard History")),
      "preferred_trigger": .string(keys.portalTrigger),
    ])
    return .array(of: "(sa{sv})", [.tuple([.string(id), details])])
  }

  /// The name of our keys in a list of shortcuts, which may be empty; nil if our shortcut is not in the list.
  private static func triggerName(in shortcuts: Variant?) -> String? {
    guard let details = shortcuts?.children?.first(where: { $0[0]?.string == id })?[1]?.dictionary else {
      return nil
    }
    return details["trigger_description"]?.string ?? ""
  }
}

extension Accelerator {
  /// The keys in the syntax of the XDG shortcuts specification, such as `CTRL+LOGO+v`.
  ///
  /// Leaves out Hyper and Meta, which the specification lacks.
  fileprivate var portalTrigger: String {
    let names: [(Modifiers, String)] = [
      (.control, "CTRL"), (.alt, "ALT"), (.shift, "SHIFT"), (.logo, "LOGO"),
    ]
    return (names.filter { modifiers.contains($0.0) }.map(\.1) + [keyName]).joined(separator: "+")
  }
}
