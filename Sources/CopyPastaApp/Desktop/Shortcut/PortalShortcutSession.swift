import GtkKit
import SerialQueue

/// A session with the portal of global shortcuts, with one shortcut.
@MainActor
final class PortalShortcutSession {
  /// The desktop's name for the keys, in the user's language; nil if it does not say.
  private(set) var triggerName: String?
  /// Whether the desktop has granted the shortcut, and it was not taken away since.
  private(set) var isBound = false
  private let portal: Portal
  private let handle: String
  private let path: Variant
  private var subscriptions: [Bus.Registration] = []
  private var isSetUp = false

  /// Told of what happens once the session is set up; the state is `off` if the portal has ended the session.
  let observers = Observers<GlobalShortcutController.BackendEvent>()

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
    for keys: Accelerator, through portal: Portal, within limit: Duration, remembers: Bool,
    mayAsk: Bool
  ) async throws(Portal.RequestError) -> PortalShortcutSession {
    try await portal.register(as: CopyPasta.id, within: limit)
    var session = try await open(for: keys, through: portal, limit)
    defer { session.isSetUp = true }
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
        to: "Closed", of: Portal.interface("org.freedesktop.portal.Session", at: handle)
      ) { [observers] _ in observers.notify(.became(.off)) },
    ]
  }

  /// `(osta{sv})`: session, shortcut, time, options.
  private func received(activated arguments: Variant) {
    guard arguments[0]?.string == handle, arguments[1]?.string == Self.id else { return }
    // The time has no defined beginning; if the desktop wants proof that the user asked, it sends a token.
    let token = arguments[3]?.dictionary?["activation_token"]?.string
    observers.notify(.pressed(token.map { .token($0) } ?? .ambient))
  }

  /// `(oa(sa{sv}))`: session, shortcuts.
  private func received(changed arguments: Variant) {
    guard arguments[0]?.string == handle else { return }
    // Before the session is set up, this signal tells what is granted, and the answer to the request what is not.
    guard isSetUp else { return note(arguments[1]) }
    let hadKeys = triggerName != nil
    triggerName = nil
    isBound = false
    note(arguments[1])
    // KDE goes on to list a shortcut whose keys were taken away; some desktops never name any.
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
        // The token is the same at each start: KDE files the shortcut under it.
        "session_handle_token": .string("copypasta"),
        // KDE 5.27 knows only what it is told of here, which no specification mentions.
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
      "description": .string(tr("Show or Hide the Clipboard History")),
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
