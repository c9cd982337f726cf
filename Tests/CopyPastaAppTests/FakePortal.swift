import CGtk
import GtkTestSupport
import TestSupport

@testable import CopyPastaApp
@testable import GtkKit

/// A portal of global shortcuts, and of the start at login, that does what it is told to, on a bus of its own.
@MainActor
final class FakePortal {
  /// What a request comes to.
  enum Answer {
    case granted
    /// Likewise, with the number that means "ended in some other way", as GNOME 48 does.
    case grantedOtherwise
    /// Likewise, without a list of what.
    case grantedUnsaid
    /// Likewise, with an empty list, as GNOME 50 does.
    case grantedEmpty
    /// The user says no.
    case refused
    /// It ends without an answer of the user's.
    case failed
    /// It never ends.
    case silence
    /// The call itself is answered with an error.
    case error
    /// Likewise, because it knows no desktop file of the program, as xdg-desktop-portal 1.21 does.
    case notAllowed
    /// A signal of the wrong types.
    case nonsense
  }

  /// Where the program under test comes in.
  let client: Bus
  /// What each method comes to; granted if nothing is said.
  var answers: [String: Answer] = [:]
  /// What the next calls of a method come to, before that.
  var nextAnswers: [String: [Answer]] = [:]
  /// What happens before a method is answered.
  var beforeAnswering: [String: () -> Void] = [:]
  /// What it says is the version of its shortcuts; nil if it does not.
  var version: UInt32?
  /// Whether it is one of those that want to know first who asks.
  var knowsRegistry = false
  /// Whether it grants all at the beginning, as KDE 5.27 does.
  var grantsAtOnce = false
  /// What it granted an earlier session.
  var remembered: Variant?
  /// What it grants, in the form of the specification.
  var granted = FakePortal.list("toggle-history", trigger: "Ctrl+Meta+V")
  /// The methods that were called, and what each was called with last.
  private(set) var calls: [String] = []
  /// How often the user was asked for the shortcut.
  var questions: Int { calls.count { $0 == "BindShortcuts" } }
  private(set) var arguments: [String: Variant] = [:]

  private let daemon: PrivateBus
  private let bus: Bus
  private var registrations: [Bus.Registration] = []
  /// The objects of all that was asked for, by their paths, in order.
  private(set) var requests: [String] = []
  private var requestObjects: [String: Bus.Registration] = [:]
  private var isSessionBound = false

  static let handle = Portal.path + "/session/1_1/copypasta"

  init() async throws {
    let daemon = try await PrivateBus.start()
    self.daemon = daemon
    bus = try await pumping { try await Bus.at(address: daemon.address) }
    client = try await pumping { try await Bus.at(address: daemon.address) }
  }

  /// Comes onto the bus.
  func start() async throws {
    let shortcuts = try bus.export(
      Self.shortcuts, at: Portal.path,
      methods: [
        "CreateSession": { [weak self] arguments throws(BusError) in
          try self?.requested("CreateSession", arguments, options: arguments[0]) ?? []
        },
        "BindShortcuts": { [weak self] arguments throws(BusError) in
          try self?.requested("BindShortcuts", arguments, options: arguments[3]) ?? []
        },
        "ListShortcuts": { [weak self] arguments throws(BusError) in
          try self?.requested("ListShortcuts", arguments, options: arguments[1]) ?? []
        },
      ], properties: ["version": { [weak self] in self?.version.map { .uint32($0) } }])
    let background = try bus.export(
      Self.background, at: Portal.path,
      methods: [
        "RequestBackground": { [weak self] arguments throws(BusError) in
          try self?.requested("RequestBackground", arguments, options: arguments[1]) ?? []
        }
      ])
    registrations = [shortcuts, background, try closable("org.freedesktop.portal.Session", at: Self.handle)]
    if knowsRegistry { registrations.append(try registry()) }
    registrations.append(bus.ownName(Portal.name))
    // The bus keeps the order.
    _ = try await pumping { [bus] in try await bus.call(.bus, "GetId") }
  }

  /// Leaves the bus.
  func stop() {
    registrations = []
    requestObjects = [:]
  }

  /// Sends a signal of a session's shortcut.
  func activate(
    session: String = handle, shortcut: String = "toggle-history", options: [String: Variant] = [:]
  ) {
    emit("Activated", [path(session), .string(shortcut), .time(0), .dictionary(options)])
  }

  func emit(_ signal: String, _ arguments: [Variant]) {
    bus.emit(signal, of: "org.freedesktop.portal.GlobalShortcuts", at: Portal.path, arguments)
  }

  /// Ends the session.
  func closeSession() {
    bus.emit("Closed", of: "org.freedesktop.portal.Session", at: Self.handle, [.dictionary([:])])
  }

  /// Lets arrive what was sent before: the bus keeps the order.
  func settle() async throws {
    for connection in [client, bus, client] {
      _ = try await pumping { try await connection.call(.bus, "GetId") }
    }
  }

  static func list(_ id: String, trigger: String) -> Variant {
    .array(of: "(sa{sv})", [.tuple([.string(id), .dictionary(["trigger_description": .string(trigger)])])])
  }

  func path(_ path: String) -> Variant { Variant.objectPath(path) ?? .string("") }

  // MARK: - What it is asked

  private func requested(
    _ method: String, _ arguments: Variant, options: Variant?
  ) throws(BusError) -> [Variant] {
    calls.append(method)
    self.arguments[method] = arguments
    let answer = nextAnswer(to: method)
    if answer == .error { throw .refused(name: BusError.unknownMethod, message: "no") }
    if answer == .notAllowed {
      throw .refused(name: "org.freedesktop.portal.Error.NotAllowed", message: "An app id is required")
    }
    let token = options?.dictionary?["handle_token"]?.string ?? ""
    let sender = client.uniqueName.dropFirst().map { $0 == "." ? "_" : String($0) }.joined()
    let request = "\(Portal.path)/request/\(sender)/\(token)"
    requests.append(request)
    requestObjects[request] = nil
    requestObjects[request] = try closable("org.freedesktop.portal.Request", at: request)
    beforeAnswering[method]?()
    // Before the call is answered, as quick portals do.
    if let response = response(to: method, answer) { respond(to: request, response) }
    return [path(request)]
  }

  /// A session can be bound once.
  private func nextAnswer(to method: String) -> Answer {
    defer {
      isSessionBound =
        method == "CreateSession" ? false : isSessionBound || method == "BindShortcuts"
    }
    if method == "BindShortcuts", isSessionBound { return .failed }
    if nextAnswers[method]?.isEmpty == false, let next = nextAnswers[method]?.removeFirst() {
      return next
    }
    return answers[method] ?? .granted
  }

  /// Answers a request that was answered with silence so far.
  func respond(to request: String, _ response: [Variant]) {
    bus.emit("Response", of: "org.freedesktop.portal.Request", at: request, response)
  }

  private func response(to method: String, _ answer: Answer) -> [Variant]? {
    var results: [String: Variant] = [:]
    if method == "CreateSession" { results["session_handle"] = .string(Self.handle) }
    if method == "BindShortcuts" || grantsAtOnce { results["shortcuts"] = granted }
    if method == "ListShortcuts" { results["shortcuts"] = remembered }
    if method == "RequestBackground" {
      results["autostart"] = arguments[method]?[1]?.dictionary?["autostart"]
    }
    return switch answer {
    case .granted: [.uint32(0), .dictionary(results)]
    case .grantedOtherwise: [.uint32(2), .dictionary(results)]
    case .grantedUnsaid: [.uint32(0), .dictionary([:])]
    case .grantedEmpty: [.uint32(0), .dictionary(["shortcuts": .array(of: "(sa{sv})", [])])]
    case .refused: [.uint32(1), .dictionary([:])]
    case .failed: [.uint32(2), .dictionary([:])]
    case .nonsense: [.string("0"), .int32(5)]
    case .silence, .error, .notAllowed: nil
    }
  }

  private func closable(_ interface: String, at path: String) throws(BusError) -> Bus.Registration {
    try bus.export(
      "<node><interface name='\(interface)'><method name='Close'/></interface></node>", at: path,
      methods: [
        "Close": { [weak self] _ in
          self?.calls.append("\(interface.split(separator: ".").last ?? "").Close")
          return []
        }
      ])
  }

  private func registry() throws(BusError) -> Bus.Registration {
    try bus.export(
      """
      <node><interface name='org.freedesktop.host.portal.Registry'>
        <method name='Register'><arg type='s'/><arg type='a{sv}'/></method>
      </interface></node>
      """, at: Portal.path,
      methods: [
        "Register": { [weak self] arguments in
          self?.calls.append("Register")
          self?.arguments["Register"] = arguments
          return []
        }
      ])
  }

  private static let background = """
    <node><interface name='org.freedesktop.portal.Background'>
      <method name='RequestBackground'><arg type='s'/><arg type='a{sv}'/><arg type='o' direction='out'/></method>
    </interface></node>
    """

  private static let shortcuts = """
    <node><interface name='org.freedesktop.portal.GlobalShortcuts'>
      <method name='CreateSession'><arg type='a{sv}'/><arg type='o' direction='out'/></method>
      <method name='BindShortcuts'>
        <arg type='o'/><arg type='a(sa{sv})'/><arg type='s'/><arg type='a{sv}'/><arg type='o' direction='out'/>
      </method>
      <method name='ListShortcuts'><arg type='o'/><arg type='a{sv}'/><arg type='o' direction='out'/></method>
      <property name='version' type='u' access='read'/>
    </interface></node>
    """
}

extension Variant {
  /// A number, `t`.
  fileprivate static func time(_ value: guint64) -> Variant { Variant(sinking: g_variant_new_uint64(value)) }
}
