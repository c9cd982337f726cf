import CGtk
import GtkTestSupport

@testable import CopyPastaApp
@testable import GtkKit

/// A scripted portal for global shortcuts and start at login, on a private bus.
@MainActor
final class FakePortal {
  /// The outcome of a request.
  enum Answer {
    /// Grants, one for each case: normal; with the response code for "ended in some other way", which GNOME 48 sends;
    /// without a list of shortcuts; with an empty list, which GNOME 50 sends.
    case granted, grantedOtherwise, grantedUnsaid, grantedEmpty
    /// Failures, one for each case: the user refuses; the request ends without an answer; the request never ends.
    case refused, failed, silence
    /// Errors of the call itself: any error; the error of xdg-desktop-portal 1.21 for a program without a desktop file.
    case error, notAllowed
    /// A response with wrong types.
    case nonsense
  }

  /// The outcome of each method; `granted` by default.
  var answers: [String: Answer] = [:]
  /// Called after a method's answer is chosen and before the answer is sent.
  var beforeAnswering: [String: () -> Void] = [:]
  /// The version of the shortcuts interface; nil if the portal does not report one.
  var version: UInt32?
  /// The version of KDE's backend; nil without that backend.
  var backendVersion: UInt32?
  /// Whether the portal supports registering the application's id.
  var knowsRegistry = false
  /// Whether `CreateSession` already grants the shortcuts, as on KDE 5.27.
  var grantsAtOnce = false
  /// The shortcuts granted to an earlier session.
  var remembered: Variant?
  /// The shortcuts to grant, in the format of the portal's specification.
  var granted = FakePortal.list("toggle-history", trigger: "Ctrl+Meta+V")
  /// The names of all called methods, and the last arguments of each.
  private(set) var calls: [String] = []
  private(set) var arguments: [String: Variant] = [:]
  /// The object paths of all requests, in order.
  private(set) var requests: [String] = []

  private let scene: BusScene
  private var registrations: [Bus.Registration] = []
  private var requestObjects: [String: Bus.Registration] = [:]
  private var isSessionBound = false

  /// The bus connection of the program under test.
  var client: Bus { scene.client }
  /// How many times the user was asked to grant the shortcut.
  var bindRequests: Int { calls.count { $0 == "BindShortcuts" } }

  static let handle = Portal.path + "/session/1_1/copypasta"
  private static let shortcuts = "org.freedesktop.portal.GlobalShortcuts"

  init() async throws { scene = try await BusScene.start() }

  /// Starts the portal on the bus.
  func start() async throws {
    registrations = [
      try export(
        """
        <interface name='\(Self.shortcuts)'>
          <method name='CreateSession'><arg type='a{sv}'/><arg type='o' direction='out'/></method>
          <method name='BindShortcuts'>
            <arg type='o'/><arg type='a(sa{sv})'/><arg type='s'/><arg type='a{sv}'/><arg type='o' direction='out'/>
          </method>
          <method name='ListShortcuts'><arg type='o'/><arg type='a{sv}'/><arg type='o' direction='out'/></method>
          <property name='version' type='u' access='read'/>
        </interface>
        """, optionsOf: ["CreateSession": 0, "BindShortcuts": 3, "ListShortcuts": 1]),
      try export(
        """
        <interface name='org.freedesktop.portal.Background'>
          <method name='RequestBackground'><arg type='s'/><arg type='a{sv}'/><arg type='o' direction='out'/></method>
        </interface>
        """, optionsOf: ["RequestBackground": 1]),
      try closable("org.freedesktop.portal.Session", at: Self.handle),
    ]
    if knowsRegistry {
      let register: Bus.Method = { [weak self] arguments in
        self?.calls.append("Register")
        self?.arguments["Register"] = arguments
        return []
      }
      registrations.append(
        try scene.service.export(
          """
          <node><interface name='org.freedesktop.host.portal.Registry'>
            <method name='Register'><arg type='s'/><arg type='a{sv}'/></method>
          </interface></node>
          """, at: Portal.path, methods: ["Register": register]))
    }
    if let backendVersion {
      let backend = "org.freedesktop.impl.portal"
      registrations += [
        try scene.service.export(
          """
          <node><interface name='\(backend).GlobalShortcuts'><property name='version' type='u' access='read'/></interface></node>
          """, at: Portal.path, properties: ["version": { .uint32(backendVersion) }]),
        scene.service.ownName(backend + ".desktop.kde"),
      ]
    }
    registrations.append(scene.service.ownName(Portal.name))
    try await scene.settle()
  }

  /// Removes the portal from the bus.
  func stop() {
    registrations = []
    requestObjects = [:]
  }

  /// Signals that the shortcut was pressed.
  func activate(
    session: String = handle, shortcut: String = "toggle-history", options: [String: Variant] = [:]
  ) {
    let time = Variant(sinking: g_variant_new_uint64(0))
    emit("Activated", [path(session), .string(shortcut), time, .dictionary(options)])
  }

  /// Signals that the shortcuts have changed.
  func change(to list: Variant) { emit("ShortcutsChanged", [path(Self.handle), list]) }

  func emit(_ signal: String, _ arguments: [Variant]) {
    scene.service.emit(signal, of: Self.shortcuts, at: Portal.path, arguments)
  }

  /// Closes the session from the portal's side.
  func closeSession() {
    scene.service.emit(
      "Closed", of: "org.freedesktop.portal.Session", at: Self.handle, [.dictionary([:])])
  }

  /// Answers a pending request.
  func respond(to request: String, _ response: [Variant]) {
    scene.service.emit("Response", of: "org.freedesktop.portal.Request", at: request, response)
  }

  /// Waits until all earlier messages have arrived, first at the portal and then at the program.
  func settle() async throws {
    _ = try await scene.call(.bus, "GetId")
    try await scene.settle()
  }

  static func list(_ id: String, trigger: String) -> Variant {
    .array(of: "(sa{sv})", [.tuple([.string(id), .dictionary(["trigger_description": .string(trigger)])])])
  }

  // MARK: - Calls to the portal

  private func export(_ interface: String, optionsOf methods: [String: Int]) throws(BusError)
    -> Bus.Registration
  {
    try scene.service.export(
      "<node>\(interface)</node>", at: Portal.path,
      methods: Dictionary(uniqueKeysWithValues: methods.map { ($0, answering($0, optionsAt: $1)) }),
      properties: ["version": { [weak self] in self?.version.map { .uint32($0) } }])
  }

  private func answering(_ method: String, optionsAt position: Int) -> Bus.Method {
    { [weak self] arguments throws(BusError) in
      guard let self else { return [] }
      return try requested(method, arguments, options: arguments[position])
    }
  }

  private func requested(
    _ method: String, _ arguments: Variant, options: Variant?
  ) throws(BusError) -> [Variant] {
    calls.append(method)
    self.arguments[method] = arguments
    // Shortcuts can be bound only once in each session.
    let answer =
      method == "BindShortcuts" && isSessionBound ? Answer.failed : answers[method] ?? .granted
    if method == "CreateSession" { isSessionBound = false }
    if method == "BindShortcuts" { isSessionBound = true }
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
    // Respond before the call returns, as fast portals do. A second answer must change nothing.
    if let response = response(to: method, answer) {
      respond(to: request, response)
      respond(to: request, [.uint32(1), .dictionary([:])])
    }
    return [path(request)]
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
    let close: Bus.Method = { [weak self] _ in
      self?.calls.append("\(interface.split(separator: ".").last ?? "").Close")
      return []
    }
    return try scene.service.export(
      "<node><interface name='\(interface)'><method name='Close'/></interface></node>", at: path,
      methods: ["Close": close])
  }

  private func path(_ path: String) -> Variant { Variant.objectPath(path) ?? .string("") }
}
